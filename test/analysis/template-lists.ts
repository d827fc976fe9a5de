/** Templates that tests single out, and why. */

/** Safety classifiers: what an assistant said is judged, not continued. */
export const notChats = [
  'hf/033-library_granite3-guardian_2b.jinja',
  'hf/042-library_llama-guard3_1b.jinja',
  'hf/043-library_llama-guard3_8b.jinja',
  'hf/089-library_shieldgemma_27b.jinja',
];

/** History shows what no model writes: reasoning that is opened before an answer and never closed. */
export const unfaithfulHistories = ['llama/NVIDIA-Nemotron-Nano-v2.jinja'];

/** Templates that never render a call and whose models make calls: see `src/analysis/overrides`. */
export const callsFromOverrides = [
  'llama/HuggingFaceTB-SmolLM3-3B.jinja',
  'llama/LFM2-8B-A1B.jinja',
  'llama/LFM2.5-Instruct.jinja',
];
