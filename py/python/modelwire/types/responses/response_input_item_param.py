"""Names that openai-python has here. Written by `make generate`."""

from modelwire._openai import paths as _openai_paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from modelwire.types._params import (
        ResponseInputItemParam, ResponseInputItemParamAdditionalTools as AdditionalTools,
        ResponseInputItemParamApplyPatchCall as ApplyPatchCall,
        ResponseInputItemParamApplyPatchCallCaller as ApplyPatchCallCaller,
        ResponseInputItemParamApplyPatchCallCallerDirect as ApplyPatchCallCallerDirect,
        ResponseInputItemParamApplyPatchCallCallerProgram as ApplyPatchCallCallerProgram,
        ResponseInputItemParamApplyPatchCallOperation as ApplyPatchCallOperation,
        ResponseInputItemParamApplyPatchCallOperationCreateFile as ApplyPatchCallOperationCreateFile,
        ResponseInputItemParamApplyPatchCallOperationDeleteFile as ApplyPatchCallOperationDeleteFile,
        ResponseInputItemParamApplyPatchCallOperationUpdateFile as ApplyPatchCallOperationUpdateFile,
        ResponseInputItemParamApplyPatchCallOutput as ApplyPatchCallOutput,
        ResponseInputItemParamApplyPatchCallOutputCaller as ApplyPatchCallOutputCaller,
        ResponseInputItemParamApplyPatchCallOutputCallerDirect as ApplyPatchCallOutputCallerDirect,
        ResponseInputItemParamApplyPatchCallOutputCallerProgram as ApplyPatchCallOutputCallerProgram,
        ResponseInputItemParamCompactionTrigger as CompactionTrigger,
        ResponseInputItemParamComputerCallOutput as ComputerCallOutput,
        ResponseInputItemParamComputerCallOutputAcknowledgedSafetyCheck as ComputerCallOutputAcknowledgedSafetyCheck,
        ResponseInputItemParamFunctionCallOutput as FunctionCallOutput,
        ResponseInputItemParamFunctionCallOutputCaller as FunctionCallOutputCaller,
        ResponseInputItemParamFunctionCallOutputCallerDirect as FunctionCallOutputCallerDirect,
        ResponseInputItemParamFunctionCallOutputCallerProgram as FunctionCallOutputCallerProgram,
        ResponseInputItemParamImageGenerationCall as ImageGenerationCall,
        ResponseInputItemParamImageGenerationCallError as ImageGenerationCallError,
        ResponseInputItemParamImageGenerationCallErrorModerationDetails as ImageGenerationCallErrorModerationDetails,
        ResponseInputItemParamImageGenerationCallSvgUsage as ImageGenerationCallSvgUsage,
        ResponseInputItemParamItemReference as ItemReference,
        ResponseInputItemParamLocalShellCall as LocalShellCall,
        ResponseInputItemParamLocalShellCallAction as LocalShellCallAction,
        ResponseInputItemParamLocalShellCallOutput as LocalShellCallOutput,
        ResponseInputItemParamMcpApprovalRequest as McpApprovalRequest,
        ResponseInputItemParamMcpApprovalResponse as McpApprovalResponse,
        ResponseInputItemParamMcpCall as McpCall,
        ResponseInputItemParamMcpListTools as McpListTools,
        ResponseInputItemParamMcpListToolsTool as McpListToolsTool,
        ResponseInputItemParamMessage as Message, ResponseInputItemParamProgram as Program,
        ResponseInputItemParamProgramOutput as ProgramOutput,
        ResponseInputItemParamShellCall as ShellCall,
        ResponseInputItemParamShellCallAction as ShellCallAction,
        ResponseInputItemParamShellCallCaller as ShellCallCaller,
        ResponseInputItemParamShellCallCallerDirect as ShellCallCallerDirect,
        ResponseInputItemParamShellCallCallerProgram as ShellCallCallerProgram,
        ResponseInputItemParamShellCallEnvironment as ShellCallEnvironment,
        ResponseInputItemParamShellCallOutput as ShellCallOutput,
        ResponseInputItemParamShellCallOutputCaller as ShellCallOutputCaller,
        ResponseInputItemParamShellCallOutputCallerDirect as ShellCallOutputCallerDirect,
        ResponseInputItemParamShellCallOutputCallerProgram as ShellCallOutputCallerProgram,
        ResponseInputItemParamToolSearchCall as ToolSearchCall
    )
else:
    _openai_paths.fill(__name__, globals())

__all__ = [
    "AdditionalTools", "ApplyPatchCall", "ApplyPatchCallCaller", "ApplyPatchCallCallerDirect",
    "ApplyPatchCallCallerProgram", "ApplyPatchCallOperation", "ApplyPatchCallOperationCreateFile",
    "ApplyPatchCallOperationDeleteFile", "ApplyPatchCallOperationUpdateFile",
    "ApplyPatchCallOutput", "ApplyPatchCallOutputCaller", "ApplyPatchCallOutputCallerDirect",
    "ApplyPatchCallOutputCallerProgram", "CompactionTrigger", "ComputerCallOutput",
    "ComputerCallOutputAcknowledgedSafetyCheck", "FunctionCallOutput", "FunctionCallOutputCaller",
    "FunctionCallOutputCallerDirect", "FunctionCallOutputCallerProgram", "ImageGenerationCall",
    "ImageGenerationCallError", "ImageGenerationCallErrorModerationDetails",
    "ImageGenerationCallSvgUsage", "ItemReference", "LocalShellCall", "LocalShellCallAction",
    "LocalShellCallOutput", "McpApprovalRequest", "McpApprovalResponse", "McpCall", "McpListTools",
    "McpListToolsTool", "Message", "Program", "ProgramOutput", "ResponseInputItemParam",
    "ShellCall", "ShellCallAction", "ShellCallCaller", "ShellCallCallerDirect",
    "ShellCallCallerProgram", "ShellCallEnvironment", "ShellCallOutput", "ShellCallOutputCaller",
    "ShellCallOutputCallerDirect", "ShellCallOutputCallerProgram", "ToolSearchCall"
]
