/** An optional peer, which need not be installed to build this package; `package.ts` says what is used of it. */
declare module '@huggingface/transformers';
