"""Names that openai-python has here. Written by `make generate`."""

from modelwire._openai import paths as _openai_paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from modelwire.types._parts import (
        Tool, ToolCodeInterpreter as CodeInterpreter,
        ToolCodeInterpreterContainer as CodeInterpreterContainer,
        ToolCodeInterpreterContainerCodeInterpreterToolAuto as CodeInterpreterContainerCodeInterpreterToolAuto,
        ToolCodeInterpreterContainerCodeInterpreterToolAutoNetworkPolicy as CodeInterpreterContainerCodeInterpreterToolAutoNetworkPolicy,
        ToolImageGeneration as ImageGeneration,
        ToolImageGenerationInputImageMask as ImageGenerationInputImageMask,
        ToolImageGenerationSvg as ImageGenerationSvg,
        ToolImageGenerationSvgReasoning as ImageGenerationSvgReasoning,
        ToolLocalShell as LocalShell, ToolMcp as Mcp, ToolMcpAllowedTools as McpAllowedTools,
        ToolMcpAllowedToolsMcpToolFilter as McpAllowedToolsMcpToolFilter,
        ToolMcpRequireApproval as McpRequireApproval,
        ToolMcpRequireApprovalMcpToolApprovalFilter as McpRequireApprovalMcpToolApprovalFilter,
        ToolMcpRequireApprovalMcpToolApprovalFilterAlways as McpRequireApprovalMcpToolApprovalFilterAlways,
        ToolMcpRequireApprovalMcpToolApprovalFilterNever as McpRequireApprovalMcpToolApprovalFilterNever,
        ToolProgrammaticToolCalling as ProgrammaticToolCalling, WebSearchTool, WebSearchToolFilters,
        WebSearchToolUserLocation
    )
else:
    _openai_paths.fill(__name__, globals())

__all__ = [
    "CodeInterpreter", "CodeInterpreterContainer",
    "CodeInterpreterContainerCodeInterpreterToolAuto",
    "CodeInterpreterContainerCodeInterpreterToolAutoNetworkPolicy", "ImageGeneration",
    "ImageGenerationInputImageMask", "ImageGenerationSvg", "ImageGenerationSvgReasoning",
    "LocalShell", "Mcp", "McpAllowedTools", "McpAllowedToolsMcpToolFilter", "McpRequireApproval",
    "McpRequireApprovalMcpToolApprovalFilter", "McpRequireApprovalMcpToolApprovalFilterAlways",
    "McpRequireApprovalMcpToolApprovalFilterNever", "ProgrammaticToolCalling", "Tool",
    "WebSearchTool", "WebSearchToolFilters", "WebSearchToolUserLocation"
]
