"""Names that openai-python has here. Written by `make generate`."""

from modelwire._openai import paths as _openai_paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from modelwire.types._params import (
        ParseableToolParam, ToolParam, ToolParamCodeInterpreter as CodeInterpreter,
        ToolParamCodeInterpreterContainer as CodeInterpreterContainer,
        ToolParamCodeInterpreterContainerCodeInterpreterToolAuto as CodeInterpreterContainerCodeInterpreterToolAuto,
        ToolParamCodeInterpreterContainerCodeInterpreterToolAutoNetworkPolicy as CodeInterpreterContainerCodeInterpreterToolAutoNetworkPolicy,
        ToolParamImageGeneration as ImageGeneration,
        ToolParamImageGenerationInputImageMask as ImageGenerationInputImageMask,
        ToolParamImageGenerationSvg as ImageGenerationSvg,
        ToolParamImageGenerationSvgReasoning as ImageGenerationSvgReasoning,
        ToolParamLocalShell as LocalShell, ToolParamMcp as Mcp,
        ToolParamMcpAllowedTools as McpAllowedTools,
        ToolParamMcpAllowedToolsMcpToolFilter as McpAllowedToolsMcpToolFilter,
        ToolParamMcpRequireApproval as McpRequireApproval,
        ToolParamMcpRequireApprovalMcpToolApprovalFilter as McpRequireApprovalMcpToolApprovalFilter,
        ToolParamMcpRequireApprovalMcpToolApprovalFilterAlways as McpRequireApprovalMcpToolApprovalFilterAlways,
        ToolParamMcpRequireApprovalMcpToolApprovalFilterNever as McpRequireApprovalMcpToolApprovalFilterNever,
        ToolParamProgrammaticToolCalling as ProgrammaticToolCalling,
        WebSearchToolParam as WebSearchTool, WebSearchToolParamFilters as WebSearchToolFilters,
        WebSearchToolParamUserLocation as WebSearchToolUserLocation
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
    "McpRequireApprovalMcpToolApprovalFilterNever", "ParseableToolParam", "ProgrammaticToolCalling",
    "ToolParam", "WebSearchTool", "WebSearchToolFilters", "WebSearchToolUserLocation"
]
