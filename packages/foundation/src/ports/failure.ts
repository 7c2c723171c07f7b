/**
 * The four ways in which a port may fail. Pipelines retry `unavailable`, show `rejected` with its code and context
 * (a message code of the contract's catalogue), and treat `notFound` and `conflict` as facts about the engine.
 */
export type PortFailureKind = 'notFound' | 'conflict' | 'rejected' | 'unavailable';

export class PortFailure extends Error {
  override readonly name = 'PortFailure';
  readonly kind: PortFailureKind;
  readonly code: string | undefined;
  readonly context: Record<string, string>;

  constructor(kind: PortFailureKind, message: string, detail: { code?: string; context?: Record<string, string>; cause?: unknown } = {}) {
    super(message, { cause: detail.cause });
    this.kind = kind;
    this.code = detail.code;
    this.context = detail.context ?? {};
  }
}

export const isPortFailure = (error: unknown, kind?: PortFailureKind): error is PortFailure =>
  error instanceof PortFailure && (kind === undefined || error.kind === kind);

/** Awaits work whose failure of this kind is a success, such as the removal of something that does not exist. */
export const ignoring = async (kind: PortFailureKind, work: Promise<unknown>): Promise<void> => {
  await work.catch((error: unknown) => {
    if (!isPortFailure(error, kind)) throw error;
  });
};

/** Returns undefined if the engine is unavailable, for data that can be shown without the engine. */
export const unlessAway = async <T>(asked: Promise<T>): Promise<T | undefined> => {
  try {
    return await asked;
  } catch (error) {
    if (isPortFailure(error, 'unavailable')) return undefined;
    throw error;
  }
};
