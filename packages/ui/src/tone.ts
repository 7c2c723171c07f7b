/** The six tones of a status. Each has its own mark, so a status does not depend on color. */
export type Tone = 'ok' | 'bad' | 'warn' | 'run' | 'idle' | 'off';

export type MarkShape = 'cone' | 'can' | 'cross' | 'sphere' | 'bar' | 'ring' | 'load' | 'load-open';

export const SHAPE_OF_TONE: Record<Tone, MarkShape> = { ok: 'cone', bad: 'can', warn: 'cross', run: 'sphere', idle: 'bar', off: 'ring' };
