/** `GGUF`, the first four bytes of a file. */
export const ggufMagic = 0x46554747;

/** The numbers of GGUF's types of metadata values, as the format's specification lists them. */
export const ggufTypes = {
  UINT8: 0,
  INT8: 1,
  UINT16: 2,
  INT16: 3,
  UINT32: 4,
  INT32: 5,
  FLOAT32: 6,
  BOOL: 7,
  STRING: 8,
  ARRAY: 9,
  UINT64: 10,
  INT64: 11,
  FLOAT64: 12,
} as const;
