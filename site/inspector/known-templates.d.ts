/** The templates that can be picked; made by `vite.config.ts`. */
declare module 'virtual:known-templates' {
  export const knownTemplates: readonly { readonly name: string; readonly templateSource: string }[];
}
