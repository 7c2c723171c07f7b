/** Type guards for unknown values: parsed JSON, or a part of the settings addressed by path. */

/** True for objects with keys, including arrays. */
export const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
