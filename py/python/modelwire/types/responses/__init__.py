"""Names of types, which are looked up when they are asked for. Knows no type.

Written by py/stubs/write.py.
"""

from modelwire.types import _lazy

TYPE_CHECKING = False

if TYPE_CHECKING:
    from modelwire._native import (
        IncompleteDetails as IncompleteDetails,
        InputTokensDetails as InputTokensDetails,
        OutputTokensDetails as OutputTokensDetails,
        Response as Response,
        ResponseContentPart as ResponseContentPart,
        ResponseError as ResponseError,
        ResponseFunctionToolCall as ResponseFunctionToolCall,
        ResponseOutputMessage as ResponseOutputMessage,
        ResponseOutputRefusal as ResponseOutputRefusal,
        ResponseOutputText as ResponseOutputText,
        ResponseReasoningItem as ResponseReasoningItem,
        ResponseUsage as ResponseUsage,
    )
    from modelwire.types._literals import (
        ImageDetail as ImageDetail,
        ResponseIncludable as ResponseIncludable,
        ResponseStatus as ResponseStatus,
        ServiceTier as ServiceTier,
        ToolChoiceOptions as ToolChoiceOptions,
    )
    from modelwire.types._params import (
        ApplyPatchToolParam as ApplyPatchToolParam,
        ComputerActionListParam as ComputerActionListParam,
        ComputerActionParam as ComputerActionParam,
        ComputerToolParam as ComputerToolParam,
        ComputerUsePreviewToolParam as ComputerUsePreviewToolParam,
        ContainerAutoParam as ContainerAutoParam,
        ContainerNetworkPolicyAllowlistParam as ContainerNetworkPolicyAllowlistParam,
        ContainerNetworkPolicyDisabledParam as ContainerNetworkPolicyDisabledParam,
        ContainerNetworkPolicyDomainSecretParam as ContainerNetworkPolicyDomainSecretParam,
        ContainerReferenceParam as ContainerReferenceParam,
        CustomToolParam as CustomToolParam,
        EasyInputMessageParam as EasyInputMessageParam,
        FileSearchToolParam as FileSearchToolParam,
        FunctionShellToolParam as FunctionShellToolParam,
        FunctionToolParam as FunctionToolParam,
        InlineSkillParam as InlineSkillParam,
        InlineSkillSourceParam as InlineSkillSourceParam,
        LocalEnvironmentParam as LocalEnvironmentParam,
        LocalSkillParam as LocalSkillParam,
        McpToolCallErrorParam as McpToolCallErrorParam,
        NamespaceToolParam as NamespaceToolParam,
        ResponseCodeInterpreterToolCallParam as ResponseCodeInterpreterToolCallParam,
        ResponseCompactionItemParamParam as ResponseCompactionItemParamParam,
        ResponseComputerToolCallOutputScreenshotParam as ResponseComputerToolCallOutputScreenshotParam,
        ResponseComputerToolCallParam as ResponseComputerToolCallParam,
        ResponseConfigurationUpdateItemParamParam as ResponseConfigurationUpdateItemParamParam,
        ResponseConversationParamParam as ResponseConversationParamParam,
        ResponseCreateParams as ResponseCreateParams,
        ResponseCustomToolCallOutputParam as ResponseCustomToolCallOutputParam,
        ResponseCustomToolCallParam as ResponseCustomToolCallParam,
        ResponseFileSearchToolCallParam as ResponseFileSearchToolCallParam,
        ResponseFormatTextConfigParam as ResponseFormatTextConfigParam,
        ResponseFormatTextJSONSchemaConfigParam as ResponseFormatTextJSONSchemaConfigParam,
        ResponseFunctionCallOutputItemListParam as ResponseFunctionCallOutputItemListParam,
        ResponseFunctionCallOutputItemParam as ResponseFunctionCallOutputItemParam,
        ResponseFunctionShellCallOutputContentParam as ResponseFunctionShellCallOutputContentParam,
        ResponseFunctionToolCallParam as ResponseFunctionToolCallParam,
        ResponseFunctionWebSearchParam as ResponseFunctionWebSearchParam,
        ResponseInputAudioParam as ResponseInputAudioParam,
        ResponseInputContentParam as ResponseInputContentParam,
        ResponseInputFileContentParam as ResponseInputFileContentParam,
        ResponseInputFileParam as ResponseInputFileParam,
        ResponseInputImageContentParam as ResponseInputImageContentParam,
        ResponseInputImageParam as ResponseInputImageParam,
        ResponseInputItemParam as ResponseInputItemParam,
        ResponseInputMessageContentListParam as ResponseInputMessageContentListParam,
        ResponseInputParam as ResponseInputParam,
        ResponseInputTextContentParam as ResponseInputTextContentParam,
        ResponseInputTextParam as ResponseInputTextParam,
        ResponseOutputMessageParam as ResponseOutputMessageParam,
        ResponseOutputRefusalParam as ResponseOutputRefusalParam,
        ResponseOutputTextParam as ResponseOutputTextParam,
        ResponsePromptParam as ResponsePromptParam,
        ResponseReasoningItemParam as ResponseReasoningItemParam,
        ResponseTextConfigParam as ResponseTextConfigParam,
        ResponseToolSearchOutputItemParamParam as ResponseToolSearchOutputItemParamParam,
        SkillReferenceParam as SkillReferenceParam,
        ToolChoiceAllowedParam as ToolChoiceAllowedParam,
        ToolChoiceApplyPatchParam as ToolChoiceApplyPatchParam,
        ToolChoiceCustomParam as ToolChoiceCustomParam,
        ToolChoiceFunctionParam as ToolChoiceFunctionParam,
        ToolChoiceMcpParam as ToolChoiceMcpParam,
        ToolChoiceShellParam as ToolChoiceShellParam,
        ToolChoiceTypesParam as ToolChoiceTypesParam,
        ToolParam as ToolParam,
        ToolSearchOutputNamespaceToolParam as ToolSearchOutputNamespaceToolParam,
        ToolSearchToolParam as ToolSearchToolParam,
        WebSearchPreviewToolParam as WebSearchPreviewToolParam,
        WebSearchToolParam as WebSearchToolParam,
    )
    from modelwire.types._parsed import (
        ParsedContent as ParsedContent,
        ParsedResponse as ParsedResponse,
        ParsedResponseFunctionToolCall as ParsedResponseFunctionToolCall,
        ParsedResponseOutputItem as ParsedResponseOutputItem,
        ParsedResponseOutputMessage as ParsedResponseOutputMessage,
        ParsedResponseOutputText as ParsedResponseOutputText,
    )
    from modelwire.types._parts import (
        AdditionalTools as AdditionalTools,
        ApplyPatchTool as ApplyPatchTool,
        ComputerAction as ComputerAction,
        ComputerActionList as ComputerActionList,
        ComputerTool as ComputerTool,
        ComputerUsePreviewTool as ComputerUsePreviewTool,
        ContainerAuto as ContainerAuto,
        ContainerNetworkPolicyAllowlist as ContainerNetworkPolicyAllowlist,
        ContainerNetworkPolicyDisabled as ContainerNetworkPolicyDisabled,
        ContainerNetworkPolicyDomainSecret as ContainerNetworkPolicyDomainSecret,
        ContainerReference as ContainerReference,
        CustomTool as CustomTool,
        EasyInputMessage as EasyInputMessage,
        EVENTS as EVENTS,
        FileSearchTool as FileSearchTool,
        FunctionShellTool as FunctionShellTool,
        FunctionTool as FunctionTool,
        ImageGenerationCall as ImageGenerationCall,
        InlineSkill as InlineSkill,
        InlineSkillSource as InlineSkillSource,
        ITEMS as ITEMS,
        LocalEnvironment as LocalEnvironment,
        LocalShellCall as LocalShellCall,
        LocalShellCallOutput as LocalShellCallOutput,
        LocalSkill as LocalSkill,
        McpApprovalRequest as McpApprovalRequest,
        McpApprovalResponse as McpApprovalResponse,
        McpCall as McpCall,
        McpListTools as McpListTools,
        McpToolCallError as McpToolCallError,
        NamespaceTool as NamespaceTool,
        Program as Program,
        ProgramOutput as ProgramOutput,
        ResponseApplyPatchToolCall as ResponseApplyPatchToolCall,
        ResponseApplyPatchToolCallOutput as ResponseApplyPatchToolCallOutput,
        ResponseAudioDeltaEvent as ResponseAudioDeltaEvent,
        ResponseAudioDoneEvent as ResponseAudioDoneEvent,
        ResponseAudioTranscriptDeltaEvent as ResponseAudioTranscriptDeltaEvent,
        ResponseAudioTranscriptDoneEvent as ResponseAudioTranscriptDoneEvent,
        ResponseCodeInterpreterCallCodeDeltaEvent as ResponseCodeInterpreterCallCodeDeltaEvent,
        ResponseCodeInterpreterCallCodeDoneEvent as ResponseCodeInterpreterCallCodeDoneEvent,
        ResponseCodeInterpreterCallCompletedEvent as ResponseCodeInterpreterCallCompletedEvent,
        ResponseCodeInterpreterCallInProgressEvent as ResponseCodeInterpreterCallInProgressEvent,
        ResponseCodeInterpreterCallInterpretingEvent as ResponseCodeInterpreterCallInterpretingEvent,
        ResponseCodeInterpreterToolCall as ResponseCodeInterpreterToolCall,
        ResponseCompactionCompactingEvent as ResponseCompactionCompactingEvent,
        ResponseCompactionItem as ResponseCompactionItem,
        ResponseCompactionItemParam as ResponseCompactionItemParam,
        ResponseCompletedEvent as ResponseCompletedEvent,
        ResponseComputerToolCall as ResponseComputerToolCall,
        ResponseComputerToolCallOutputItem as ResponseComputerToolCallOutputItem,
        ResponseComputerToolCallOutputScreenshot as ResponseComputerToolCallOutputScreenshot,
        ResponseConfigurationUpdateItem as ResponseConfigurationUpdateItem,
        ResponseConfigurationUpdateItemParam as ResponseConfigurationUpdateItemParam,
        ResponseContainerReference as ResponseContainerReference,
        ResponseContentPartAddedEvent as ResponseContentPartAddedEvent,
        ResponseContentPartDoneEvent as ResponseContentPartDoneEvent,
        ResponseConversationParam as ResponseConversationParam,
        ResponseCreatedEvent as ResponseCreatedEvent,
        ResponseCustomToolCall as ResponseCustomToolCall,
        ResponseCustomToolCallInputDeltaEvent as ResponseCustomToolCallInputDeltaEvent,
        ResponseCustomToolCallInputDoneEvent as ResponseCustomToolCallInputDoneEvent,
        ResponseCustomToolCallItem as ResponseCustomToolCallItem,
        ResponseCustomToolCallOutput as ResponseCustomToolCallOutput,
        ResponseCustomToolCallOutputItem as ResponseCustomToolCallOutputItem,
        ResponseErrorEvent as ResponseErrorEvent,
        ResponseFailedEvent as ResponseFailedEvent,
        ResponseFileSearchCallCompletedEvent as ResponseFileSearchCallCompletedEvent,
        ResponseFileSearchCallInProgressEvent as ResponseFileSearchCallInProgressEvent,
        ResponseFileSearchCallSearchingEvent as ResponseFileSearchCallSearchingEvent,
        ResponseFileSearchToolCall as ResponseFileSearchToolCall,
        ResponseFormatTextConfig as ResponseFormatTextConfig,
        ResponseFormatTextJSONSchemaConfig as ResponseFormatTextJSONSchemaConfig,
        ResponseFunctionCallArgumentsDeltaEvent as ResponseFunctionCallArgumentsDeltaEvent,
        ResponseFunctionCallArgumentsDoneEvent as ResponseFunctionCallArgumentsDoneEvent,
        ResponseFunctionCallOutputItem as ResponseFunctionCallOutputItem,
        ResponseFunctionCallOutputItemList as ResponseFunctionCallOutputItemList,
        ResponseFunctionShellCallOutputContent as ResponseFunctionShellCallOutputContent,
        ResponseFunctionShellToolCall as ResponseFunctionShellToolCall,
        ResponseFunctionShellToolCallOutput as ResponseFunctionShellToolCallOutput,
        ResponseFunctionToolCallItem as ResponseFunctionToolCallItem,
        ResponseFunctionToolCallOutputItem as ResponseFunctionToolCallOutputItem,
        ResponseFunctionWebSearch as ResponseFunctionWebSearch,
        ResponseImageGenCallCompletedEvent as ResponseImageGenCallCompletedEvent,
        ResponseImageGenCallGeneratingEvent as ResponseImageGenCallGeneratingEvent,
        ResponseImageGenCallInProgressEvent as ResponseImageGenCallInProgressEvent,
        ResponseImageGenCallPartialImageEvent as ResponseImageGenCallPartialImageEvent,
        ResponseIncompleteEvent as ResponseIncompleteEvent,
        ResponseInProgressEvent as ResponseInProgressEvent,
        ResponseInput as ResponseInput,
        ResponseInputAudio as ResponseInputAudio,
        ResponseInputContent as ResponseInputContent,
        ResponseInputFile as ResponseInputFile,
        ResponseInputFileContent as ResponseInputFileContent,
        ResponseInputImage as ResponseInputImage,
        ResponseInputImageContent as ResponseInputImageContent,
        ResponseInputItem as ResponseInputItem,
        ResponseInputMessageContentList as ResponseInputMessageContentList,
        ResponseInputText as ResponseInputText,
        ResponseInputTextContent as ResponseInputTextContent,
        ResponseLocalEnvironment as ResponseLocalEnvironment,
        ResponseMcpCallArgumentsDeltaEvent as ResponseMcpCallArgumentsDeltaEvent,
        ResponseMcpCallArgumentsDoneEvent as ResponseMcpCallArgumentsDoneEvent,
        ResponseMcpCallCompletedEvent as ResponseMcpCallCompletedEvent,
        ResponseMcpCallFailedEvent as ResponseMcpCallFailedEvent,
        ResponseMcpCallInProgressEvent as ResponseMcpCallInProgressEvent,
        ResponseMcpListToolsCompletedEvent as ResponseMcpListToolsCompletedEvent,
        ResponseMcpListToolsFailedEvent as ResponseMcpListToolsFailedEvent,
        ResponseMcpListToolsInProgressEvent as ResponseMcpListToolsInProgressEvent,
        ResponseOutputItem as ResponseOutputItem,
        ResponseOutputItemAddedEvent as ResponseOutputItemAddedEvent,
        ResponseOutputItemDoneEvent as ResponseOutputItemDoneEvent,
        ResponseOutputTextAnnotationAddedEvent as ResponseOutputTextAnnotationAddedEvent,
        ResponsePrompt as ResponsePrompt,
        ResponseQueuedEvent as ResponseQueuedEvent,
        ResponseReasoningSummaryPartAddedEvent as ResponseReasoningSummaryPartAddedEvent,
        ResponseReasoningSummaryPartDoneEvent as ResponseReasoningSummaryPartDoneEvent,
        ResponseReasoningSummaryTextDeltaEvent as ResponseReasoningSummaryTextDeltaEvent,
        ResponseReasoningSummaryTextDoneEvent as ResponseReasoningSummaryTextDoneEvent,
        ResponseReasoningTextDeltaEvent as ResponseReasoningTextDeltaEvent,
        ResponseReasoningTextDoneEvent as ResponseReasoningTextDoneEvent,
        ResponseRefusalDeltaEvent as ResponseRefusalDeltaEvent,
        ResponseRefusalDoneEvent as ResponseRefusalDoneEvent,
        ResponseShellCallCommandAddedEvent as ResponseShellCallCommandAddedEvent,
        ResponseShellCallCommandDeltaEvent as ResponseShellCallCommandDeltaEvent,
        ResponseShellCallCommandDoneEvent as ResponseShellCallCommandDoneEvent,
        ResponseShellCallOutputContentDeltaEvent as ResponseShellCallOutputContentDeltaEvent,
        ResponseShellCallOutputContentDoneEvent as ResponseShellCallOutputContentDoneEvent,
        ResponseStreamEvent as ResponseStreamEvent,
        ResponseTextConfig as ResponseTextConfig,
        ResponseTextDeltaEvent as ResponseTextDeltaEvent,
        ResponseTextDoneEvent as ResponseTextDoneEvent,
        ResponseToolSearchCall as ResponseToolSearchCall,
        ResponseToolSearchOutputItem as ResponseToolSearchOutputItem,
        ResponseToolSearchOutputItemParam as ResponseToolSearchOutputItemParam,
        ResponseWebSearchCallCompletedEvent as ResponseWebSearchCallCompletedEvent,
        ResponseWebSearchCallInProgressEvent as ResponseWebSearchCallInProgressEvent,
        ResponseWebSearchCallSearchingEvent as ResponseWebSearchCallSearchingEvent,
        SkillReference as SkillReference,
        Tool as Tool,
        ToolChoiceAllowed as ToolChoiceAllowed,
        ToolChoiceApplyPatch as ToolChoiceApplyPatch,
        ToolChoiceCustom as ToolChoiceCustom,
        ToolChoiceFunction as ToolChoiceFunction,
        ToolChoiceMcp as ToolChoiceMcp,
        ToolChoiceShell as ToolChoiceShell,
        ToolChoiceTypes as ToolChoiceTypes,
        ToolSearchOutputNamespaceTool as ToolSearchOutputNamespaceTool,
        ToolSearchTool as ToolSearchTool,
        WebSearchPreviewTool as WebSearchPreviewTool,
        WebSearchTool as WebSearchTool,
    )
else:
    __getattr__, __dir__ = _lazy.names(
        __name__,
        {
            "modelwire._native": """
                IncompleteDetails InputTokensDetails OutputTokensDetails Response
                ResponseContentPart ResponseError ResponseFunctionToolCall ResponseOutputMessage
                ResponseOutputRefusal ResponseOutputText ResponseReasoningItem ResponseUsage
            """,
            "modelwire.types._literals": """
                ImageDetail ResponseIncludable ResponseStatus ServiceTier ToolChoiceOptions
            """,
            "modelwire.types._params": """
                ApplyPatchToolParam ComputerActionListParam ComputerActionParam
                ComputerToolParam ComputerUsePreviewToolParam ContainerAutoParam
                ContainerNetworkPolicyAllowlistParam ContainerNetworkPolicyDisabledParam
                ContainerNetworkPolicyDomainSecretParam ContainerReferenceParam CustomToolParam
                EasyInputMessageParam FileSearchToolParam FunctionShellToolParam
                FunctionToolParam InlineSkillParam InlineSkillSourceParam LocalEnvironmentParam
                LocalSkillParam McpToolCallErrorParam NamespaceToolParam
                ResponseCodeInterpreterToolCallParam ResponseCompactionItemParamParam
                ResponseComputerToolCallOutputScreenshotParam ResponseComputerToolCallParam
                ResponseConfigurationUpdateItemParamParam ResponseConversationParamParam
                ResponseCreateParams ResponseCustomToolCallOutputParam
                ResponseCustomToolCallParam ResponseFileSearchToolCallParam
                ResponseFormatTextConfigParam ResponseFormatTextJSONSchemaConfigParam
                ResponseFunctionCallOutputItemListParam ResponseFunctionCallOutputItemParam
                ResponseFunctionShellCallOutputContentParam ResponseFunctionToolCallParam
                ResponseFunctionWebSearchParam ResponseInputAudioParam ResponseInputContentParam
                ResponseInputFileContentParam ResponseInputFileParam
                ResponseInputImageContentParam ResponseInputImageParam ResponseInputItemParam
                ResponseInputMessageContentListParam ResponseInputParam
                ResponseInputTextContentParam ResponseInputTextParam ResponseOutputMessageParam
                ResponseOutputRefusalParam ResponseOutputTextParam ResponsePromptParam
                ResponseReasoningItemParam ResponseTextConfigParam
                ResponseToolSearchOutputItemParamParam SkillReferenceParam
                ToolChoiceAllowedParam ToolChoiceApplyPatchParam ToolChoiceCustomParam
                ToolChoiceFunctionParam ToolChoiceMcpParam ToolChoiceShellParam
                ToolChoiceTypesParam ToolParam ToolSearchOutputNamespaceToolParam
                ToolSearchToolParam WebSearchPreviewToolParam WebSearchToolParam
            """,
            "modelwire.types._parsed": """
                ParsedContent ParsedResponse ParsedResponseFunctionToolCall
                ParsedResponseOutputItem ParsedResponseOutputMessage ParsedResponseOutputText
            """,
            "modelwire.types._parts": """
                AdditionalTools ApplyPatchTool ComputerAction ComputerActionList ComputerTool
                ComputerUsePreviewTool ContainerAuto ContainerNetworkPolicyAllowlist
                ContainerNetworkPolicyDisabled ContainerNetworkPolicyDomainSecret
                ContainerReference CustomTool EVENTS EasyInputMessage FileSearchTool
                FunctionShellTool FunctionTool ITEMS ImageGenerationCall InlineSkill
                InlineSkillSource LocalEnvironment LocalShellCall LocalShellCallOutput
                LocalSkill McpApprovalRequest McpApprovalResponse McpCall McpListTools
                McpToolCallError NamespaceTool Program ProgramOutput ResponseApplyPatchToolCall
                ResponseApplyPatchToolCallOutput ResponseAudioDeltaEvent ResponseAudioDoneEvent
                ResponseAudioTranscriptDeltaEvent ResponseAudioTranscriptDoneEvent
                ResponseCodeInterpreterCallCodeDeltaEvent
                ResponseCodeInterpreterCallCodeDoneEvent
                ResponseCodeInterpreterCallCompletedEvent
                ResponseCodeInterpreterCallInProgressEvent
                ResponseCodeInterpreterCallInterpretingEvent ResponseCodeInterpreterToolCall
                ResponseCompactionCompactingEvent ResponseCompactionItem
                ResponseCompactionItemParam ResponseCompletedEvent ResponseComputerToolCall
                ResponseComputerToolCallOutputItem ResponseComputerToolCallOutputScreenshot
                ResponseConfigurationUpdateItem ResponseConfigurationUpdateItemParam
                ResponseContainerReference ResponseContentPartAddedEvent
                ResponseContentPartDoneEvent ResponseConversationParam ResponseCreatedEvent
                ResponseCustomToolCall ResponseCustomToolCallInputDeltaEvent
                ResponseCustomToolCallInputDoneEvent ResponseCustomToolCallItem
                ResponseCustomToolCallOutput ResponseCustomToolCallOutputItem ResponseErrorEvent
                ResponseFailedEvent ResponseFileSearchCallCompletedEvent
                ResponseFileSearchCallInProgressEvent ResponseFileSearchCallSearchingEvent
                ResponseFileSearchToolCall ResponseFormatTextConfig
                ResponseFormatTextJSONSchemaConfig ResponseFunctionCallArgumentsDeltaEvent
                ResponseFunctionCallArgumentsDoneEvent ResponseFunctionCallOutputItem
                ResponseFunctionCallOutputItemList ResponseFunctionShellCallOutputContent
                ResponseFunctionShellToolCall ResponseFunctionShellToolCallOutput
                ResponseFunctionToolCallItem ResponseFunctionToolCallOutputItem
                ResponseFunctionWebSearch ResponseImageGenCallCompletedEvent
                ResponseImageGenCallGeneratingEvent ResponseImageGenCallInProgressEvent
                ResponseImageGenCallPartialImageEvent ResponseInProgressEvent
                ResponseIncompleteEvent ResponseInput ResponseInputAudio ResponseInputContent
                ResponseInputFile ResponseInputFileContent ResponseInputImage
                ResponseInputImageContent ResponseInputItem ResponseInputMessageContentList
                ResponseInputText ResponseInputTextContent ResponseLocalEnvironment
                ResponseMcpCallArgumentsDeltaEvent ResponseMcpCallArgumentsDoneEvent
                ResponseMcpCallCompletedEvent ResponseMcpCallFailedEvent
                ResponseMcpCallInProgressEvent ResponseMcpListToolsCompletedEvent
                ResponseMcpListToolsFailedEvent ResponseMcpListToolsInProgressEvent
                ResponseOutputItem ResponseOutputItemAddedEvent ResponseOutputItemDoneEvent
                ResponseOutputTextAnnotationAddedEvent ResponsePrompt ResponseQueuedEvent
                ResponseReasoningSummaryPartAddedEvent ResponseReasoningSummaryPartDoneEvent
                ResponseReasoningSummaryTextDeltaEvent ResponseReasoningSummaryTextDoneEvent
                ResponseReasoningTextDeltaEvent ResponseReasoningTextDoneEvent
                ResponseRefusalDeltaEvent ResponseRefusalDoneEvent
                ResponseShellCallCommandAddedEvent ResponseShellCallCommandDeltaEvent
                ResponseShellCallCommandDoneEvent ResponseShellCallOutputContentDeltaEvent
                ResponseShellCallOutputContentDoneEvent ResponseStreamEvent ResponseTextConfig
                ResponseTextDeltaEvent ResponseTextDoneEvent ResponseToolSearchCall
                ResponseToolSearchOutputItem ResponseToolSearchOutputItemParam
                ResponseWebSearchCallCompletedEvent ResponseWebSearchCallInProgressEvent
                ResponseWebSearchCallSearchingEvent SkillReference Tool ToolChoiceAllowed
                ToolChoiceApplyPatch ToolChoiceCustom ToolChoiceFunction ToolChoiceMcp
                ToolChoiceShell ToolChoiceTypes ToolSearchOutputNamespaceTool ToolSearchTool
                WebSearchPreviewTool WebSearchTool
            """,
        },
        (),
    )

__all__ = [
    "AdditionalTools",
    "ApplyPatchTool",
    "ApplyPatchToolParam",
    "ComputerAction",
    "ComputerActionList",
    "ComputerActionListParam",
    "ComputerActionParam",
    "ComputerTool",
    "ComputerToolParam",
    "ComputerUsePreviewTool",
    "ComputerUsePreviewToolParam",
    "ContainerAuto",
    "ContainerAutoParam",
    "ContainerNetworkPolicyAllowlist",
    "ContainerNetworkPolicyAllowlistParam",
    "ContainerNetworkPolicyDisabled",
    "ContainerNetworkPolicyDisabledParam",
    "ContainerNetworkPolicyDomainSecret",
    "ContainerNetworkPolicyDomainSecretParam",
    "ContainerReference",
    "ContainerReferenceParam",
    "CustomTool",
    "CustomToolParam",
    "EVENTS",
    "EasyInputMessage",
    "EasyInputMessageParam",
    "FileSearchTool",
    "FileSearchToolParam",
    "FunctionShellTool",
    "FunctionShellToolParam",
    "FunctionTool",
    "FunctionToolParam",
    "ITEMS",
    "ImageDetail",
    "ImageGenerationCall",
    "IncompleteDetails",
    "InlineSkill",
    "InlineSkillParam",
    "InlineSkillSource",
    "InlineSkillSourceParam",
    "InputTokensDetails",
    "LocalEnvironment",
    "LocalEnvironmentParam",
    "LocalShellCall",
    "LocalShellCallOutput",
    "LocalSkill",
    "LocalSkillParam",
    "McpApprovalRequest",
    "McpApprovalResponse",
    "McpCall",
    "McpListTools",
    "McpToolCallError",
    "McpToolCallErrorParam",
    "NamespaceTool",
    "NamespaceToolParam",
    "OutputTokensDetails",
    "ParsedContent",
    "ParsedResponse",
    "ParsedResponseFunctionToolCall",
    "ParsedResponseOutputItem",
    "ParsedResponseOutputMessage",
    "ParsedResponseOutputText",
    "Program",
    "ProgramOutput",
    "Response",
    "ResponseApplyPatchToolCall",
    "ResponseApplyPatchToolCallOutput",
    "ResponseAudioDeltaEvent",
    "ResponseAudioDoneEvent",
    "ResponseAudioTranscriptDeltaEvent",
    "ResponseAudioTranscriptDoneEvent",
    "ResponseCodeInterpreterCallCodeDeltaEvent",
    "ResponseCodeInterpreterCallCodeDoneEvent",
    "ResponseCodeInterpreterCallCompletedEvent",
    "ResponseCodeInterpreterCallInProgressEvent",
    "ResponseCodeInterpreterCallInterpretingEvent",
    "ResponseCodeInterpreterToolCall",
    "ResponseCodeInterpreterToolCallParam",
    "ResponseCompactionCompactingEvent",
    "ResponseCompactionItem",
    "ResponseCompactionItemParam",
    "ResponseCompactionItemParamParam",
    "ResponseCompletedEvent",
    "ResponseComputerToolCall",
    "ResponseComputerToolCallOutputItem",
    "ResponseComputerToolCallOutputScreenshot",
    "ResponseComputerToolCallOutputScreenshotParam",
    "ResponseComputerToolCallParam",
    "ResponseConfigurationUpdateItem",
    "ResponseConfigurationUpdateItemParam",
    "ResponseConfigurationUpdateItemParamParam",
    "ResponseContainerReference",
    "ResponseContentPart",
    "ResponseContentPartAddedEvent",
    "ResponseContentPartDoneEvent",
    "ResponseConversationParam",
    "ResponseConversationParamParam",
    "ResponseCreateParams",
    "ResponseCreatedEvent",
    "ResponseCustomToolCall",
    "ResponseCustomToolCallInputDeltaEvent",
    "ResponseCustomToolCallInputDoneEvent",
    "ResponseCustomToolCallItem",
    "ResponseCustomToolCallOutput",
    "ResponseCustomToolCallOutputItem",
    "ResponseCustomToolCallOutputParam",
    "ResponseCustomToolCallParam",
    "ResponseError",
    "ResponseErrorEvent",
    "ResponseFailedEvent",
    "ResponseFileSearchCallCompletedEvent",
    "ResponseFileSearchCallInProgressEvent",
    "ResponseFileSearchCallSearchingEvent",
    "ResponseFileSearchToolCall",
    "ResponseFileSearchToolCallParam",
    "ResponseFormatTextConfig",
    "ResponseFormatTextConfigParam",
    "ResponseFormatTextJSONSchemaConfig",
    "ResponseFormatTextJSONSchemaConfigParam",
    "ResponseFunctionCallArgumentsDeltaEvent",
    "ResponseFunctionCallArgumentsDoneEvent",
    "ResponseFunctionCallOutputItem",
    "ResponseFunctionCallOutputItemList",
    "ResponseFunctionCallOutputItemListParam",
    "ResponseFunctionCallOutputItemParam",
    "ResponseFunctionShellCallOutputContent",
    "ResponseFunctionShellCallOutputContentParam",
    "ResponseFunctionShellToolCall",
    "ResponseFunctionShellToolCallOutput",
    "ResponseFunctionToolCall",
    "ResponseFunctionToolCallItem",
    "ResponseFunctionToolCallOutputItem",
    "ResponseFunctionToolCallParam",
    "ResponseFunctionWebSearch",
    "ResponseFunctionWebSearchParam",
    "ResponseImageGenCallCompletedEvent",
    "ResponseImageGenCallGeneratingEvent",
    "ResponseImageGenCallInProgressEvent",
    "ResponseImageGenCallPartialImageEvent",
    "ResponseInProgressEvent",
    "ResponseIncludable",
    "ResponseIncompleteEvent",
    "ResponseInput",
    "ResponseInputAudio",
    "ResponseInputAudioParam",
    "ResponseInputContent",
    "ResponseInputContentParam",
    "ResponseInputFile",
    "ResponseInputFileContent",
    "ResponseInputFileContentParam",
    "ResponseInputFileParam",
    "ResponseInputImage",
    "ResponseInputImageContent",
    "ResponseInputImageContentParam",
    "ResponseInputImageParam",
    "ResponseInputItem",
    "ResponseInputItemParam",
    "ResponseInputMessageContentList",
    "ResponseInputMessageContentListParam",
    "ResponseInputParam",
    "ResponseInputText",
    "ResponseInputTextContent",
    "ResponseInputTextContentParam",
    "ResponseInputTextParam",
    "ResponseLocalEnvironment",
    "ResponseMcpCallArgumentsDeltaEvent",
    "ResponseMcpCallArgumentsDoneEvent",
    "ResponseMcpCallCompletedEvent",
    "ResponseMcpCallFailedEvent",
    "ResponseMcpCallInProgressEvent",
    "ResponseMcpListToolsCompletedEvent",
    "ResponseMcpListToolsFailedEvent",
    "ResponseMcpListToolsInProgressEvent",
    "ResponseOutputItem",
    "ResponseOutputItemAddedEvent",
    "ResponseOutputItemDoneEvent",
    "ResponseOutputMessage",
    "ResponseOutputMessageParam",
    "ResponseOutputRefusal",
    "ResponseOutputRefusalParam",
    "ResponseOutputText",
    "ResponseOutputTextAnnotationAddedEvent",
    "ResponseOutputTextParam",
    "ResponsePrompt",
    "ResponsePromptParam",
    "ResponseQueuedEvent",
    "ResponseReasoningItem",
    "ResponseReasoningItemParam",
    "ResponseReasoningSummaryPartAddedEvent",
    "ResponseReasoningSummaryPartDoneEvent",
    "ResponseReasoningSummaryTextDeltaEvent",
    "ResponseReasoningSummaryTextDoneEvent",
    "ResponseReasoningTextDeltaEvent",
    "ResponseReasoningTextDoneEvent",
    "ResponseRefusalDeltaEvent",
    "ResponseRefusalDoneEvent",
    "ResponseShellCallCommandAddedEvent",
    "ResponseShellCallCommandDeltaEvent",
    "ResponseShellCallCommandDoneEvent",
    "ResponseShellCallOutputContentDeltaEvent",
    "ResponseShellCallOutputContentDoneEvent",
    "ResponseStatus",
    "ResponseStreamEvent",
    "ResponseTextConfig",
    "ResponseTextConfigParam",
    "ResponseTextDeltaEvent",
    "ResponseTextDoneEvent",
    "ResponseToolSearchCall",
    "ResponseToolSearchOutputItem",
    "ResponseToolSearchOutputItemParam",
    "ResponseToolSearchOutputItemParamParam",
    "ResponseUsage",
    "ResponseWebSearchCallCompletedEvent",
    "ResponseWebSearchCallInProgressEvent",
    "ResponseWebSearchCallSearchingEvent",
    "ServiceTier",
    "SkillReference",
    "SkillReferenceParam",
    "Tool",
    "ToolChoiceAllowed",
    "ToolChoiceAllowedParam",
    "ToolChoiceApplyPatch",
    "ToolChoiceApplyPatchParam",
    "ToolChoiceCustom",
    "ToolChoiceCustomParam",
    "ToolChoiceFunction",
    "ToolChoiceFunctionParam",
    "ToolChoiceMcp",
    "ToolChoiceMcpParam",
    "ToolChoiceOptions",
    "ToolChoiceShell",
    "ToolChoiceShellParam",
    "ToolChoiceTypes",
    "ToolChoiceTypesParam",
    "ToolParam",
    "ToolSearchOutputNamespaceTool",
    "ToolSearchOutputNamespaceToolParam",
    "ToolSearchTool",
    "ToolSearchToolParam",
    "WebSearchPreviewTool",
    "WebSearchPreviewToolParam",
    "WebSearchTool",
    "WebSearchToolParam",
]
