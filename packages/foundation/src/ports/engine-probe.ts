/** A cheap question to an engine, which the operations page asks. A port has it where no other method answers it. */
export interface EngineProbe {
  /** Region or environment. Undefined if the engine is one. */
  readonly place?: string;
  /** Resolves to the engine's version, or undefined if the engine names none. Rejects if it does not answer. */
  probe(): Promise<string | undefined>;
}
