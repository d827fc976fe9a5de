/** Names of markers, and phrases, that speak of thoughts. */
export const namesThoughts = /think|thought|reason/iu;
