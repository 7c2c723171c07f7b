/** The six things a status can say. Shape comes before hue: each tone has a mark of its own. */
export type Tone = 'ok' | 'bad' | 'warn' | 'run' | 'idle' | 'off';

export type MarkShape = 'cone' | 'can' | 'cross' | 'sphere' | 'bar' | 'ring' | 'load' | 'load-open';

export const SHAPE_OF_TONE: Record<Tone, MarkShape> = { ok: 'cone', bad: 'can', warn: 'cross', run: 'sphere', idle: 'bar', off: 'ring' };
