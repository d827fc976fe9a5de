/** Files of the llama.cpp release that node-llama-cpp ships; the examples make their models from it too. */
export * from '../../examples/support/llama-bundle.ts';
