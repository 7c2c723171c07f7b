/** Values of which nothing is known yet: parsed JSON, a part of the settings that is reached by its path. */

/** Something with keys, an array among them. */
export const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
