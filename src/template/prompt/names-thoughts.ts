/** Names of markers, and phrases, that refer to thoughts. */
export const namesThoughts = /think|thought|reason/iu;
