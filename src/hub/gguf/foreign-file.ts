/** Recognises files that are not GGUF models by their first bytes, and advises. */

interface ForeignKind {
  readonly begins: RegExp;
  readonly reason: string;
}

const gguf = 'Idiolect loads GGUF models';

/** Bytes as characters of the same number. The first match counts. */
const kinds: readonly ForeignKind[] = [
  { begins: /^$/, reason: 'is empty; if it was downloaded, fetch it again' },
  {
    begins: /^version https:\/\/git-lfs/,
    reason: 'is a pointer of Git LFS, not the model itself; fetch it with `git lfs pull`',
  },
  {
    begins: /^(?:\xef\xbb\xbf)?\s*<(?:!doctype|html|\?xml|head|!--)/i,
    reason: 'is a web page, not a GGUF model: the download was refused or needs a login; fetch it again',
  },
  {
    // Eight bytes of length, little-endian, and a JSON object.
    begins: /^.{5}\0\0\0\{/s,
    reason: `holds weights as safetensors; ${gguf}: use one that was converted, or convert it with llama.cpp's convert_hf_to_gguf.py`,
  },
  {
    begins: /^\s*(?:\{\s*["}]|\[\s*[[{"\]])/,
    reason: 'is JSON, not a GGUF model; if it was downloaded, it may say what went wrong',
  },
  {
    begins: /^[^\0]*?\{[%{#]/,
    reason:
      'is a chat template, not a model: give a model (.gguf); `idiolect inspect` reads templates, and a chat takes one as chatTemplate (--template)',
  },
  {
    begins: /^(?:lmgg|fmgg|tjgg|algg)/,
    reason: `has a format that llama.cpp no longer reads, from before GGUF; ${gguf}: use a newer file`,
  },
  {
    // A ZIP file, as are PyTorch's weights; gzip; 7z; zstd; xz.
    begins: /^(?:PK|.\u008b|7z\u00bc|\(\u00b5\/|\u00fd7zXZ)/,
    reason: `is an archive, or holds PyTorch's weights; ${gguf}: unpack it, or use a model that was converted`,
  },
];

/** How many bytes are examined. */
const looked = 512;

/** Why a file that begins with these bytes, unlike GGUF, cannot be loaded. */
export function foreignReason(bytes: Uint8Array): string {
  const start = String.fromCharCode(...bytes.subarray(0, looked));
  return kinds.find(({ begins }) => begins.test(start))?.reason ?? 'is not a GGUF model';
}
