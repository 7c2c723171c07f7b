/** A cheap question to an engine. The operations page asks it every minute, and `slipway doctor` before the first start. */
export interface Finding {
  readonly state: 'ok' | 'warning' | 'failed';
  /** One sentence. */
  readonly message: string;
  /** Advice. Undefined if the engine's adapter does not know. */
  readonly next?: string;
}
/** Collects what a probe finds. */
export interface Findings {
  ok(message: string): void;
  warning(message: string, next: string): void;
  failed(message: string, next: string): void;
}
export interface EngineProbe {
  /** Region or environment. Undefined if the engine is one. */
  readonly place?: string;
  /**
   * Resolves to the engine's version, or undefined if the engine names none. An engine that does not answer is reported with advice, or
   * rejects if there is none.
   */
  probe(findings: Findings): Promise<string | undefined>;
}
