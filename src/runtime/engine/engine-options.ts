/** Options of every model in this process. */
import { boolean, chatTemplate, type OptionRules } from '../../format/option-rules.ts';
import type { GeneratedModule } from '../../parser/module-contract.ts';
import { type ToolFormatOption, toolFormat } from '../../template/tool-format/tool-format-option.ts';
import { modules } from '../chat/check-chat-options.ts';
import type { ModuleRegistry } from '../chat/learned-template.ts';

/** Options of `connectEngine`. */
export interface EngineOptions {
  /**
   * Generated modules, or the registry that `generated/index.ts` exports; the one with the template's fingerprint is
   * used. Default: none; the template is analysed on first use.
   */
  readonly modules?: readonly GeneratedModule[] | ModuleRegistry | undefined;
  /** Jinja source to use instead of the engine's templates. */
  readonly chatTemplate?: string | undefined;
  /** Rejects models whose template does not support tools. Default: true; `false` allows chats without tools. */
  readonly requireTools?: boolean | undefined;
  /**
   * How tools are described, and calls written, in place of the template's own way: `json-list`, `tagged`, or the
   * source of a tool format of your own. Default: the template's own way, if it has one.
   */
  readonly toolFormat?: ToolFormatOption | undefined;
  /**
   * Whether what enforces responses is loaded for the first chat that needs it, for a page that mostly talks; until
   * then, `preview` of such a chat is refused. Default: false.
   */
  readonly lateEnforcement?: boolean | undefined;
}

/** Rules for the options of an engine's model. */
export const engineRules: OptionRules<EngineOptions> = {
  modules,
  chatTemplate,
  requireTools: boolean,
  toolFormat,
  lateEnforcement: boolean,
};
