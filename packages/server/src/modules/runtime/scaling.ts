/** How many instances a service wants for the processor time that they use: the formula of Kubernetes' horizontal autoscaler. */

export interface Scaling {
  readonly minReplicas: number;
  readonly maxReplicas: number;
  /** Percent of what an instance requested, on average. */
  readonly cpuUtilization: number;
}
export interface ScalingSample {
  /** Ready for so long that what was measured is of its work and not of its start. */
  readonly isSettled: boolean;
  /** undefined where nothing was measured. */
  readonly cpuMillicores: number | undefined;
}
export interface ScalingSituation {
  readonly wanted: number;
  readonly requestedMillicores: number;
  /** Whether instances cannot use more than they requested. */
  readonly isLimited: boolean;
  readonly samples: readonly ScalingSample[];
  readonly scaling: Scaling;
}

const TOLERANCE = 0.1;

/**
 * Where limits are enforced nobody can be above 100 %: with a target of 95 % the usual tolerance would never let go up. Then half of
 * the room that is left above the target is the tolerance.
 */
const toleranceAbove = ({ isLimited, scaling }: ScalingSituation): number =>
  isLimited && scaling.cpuUtilization < 100 ? Math.min(TOLERANCE, (100 / scaling.cpuUtilization - 1) / 2) : TOLERANCE;

const isNear = (ratio: number, situation: ScalingSituation): boolean => ratio >= 1 - TOLERANCE && ratio <= 1 + toleranceAbove(situation);

/** Use on average, in percent of what is requested; undefined where nothing was measured. */
export const utilizationOf = ({ requestedMillicores, samples }: ScalingSituation): number | undefined => {
  const measured = samples.flatMap(({ isSettled, cpuMillicores }) => (isSettled && cpuMillicores !== undefined ? [cpuMillicores] : []));
  if (measured.length === 0) return undefined;
  return (measured.reduce((sum, cpu) => sum + cpu, 0) / (measured.length * requestedMillicores)) * 100;
};

/**
 * `ceil(n × current / target)` with a tolerance, not yet held within the bounds. Who was not measured counts as idle when it would go
 * up and as fully busy when it would go down, and who still starts as idle when it would go up: neither may turn the direction.
 */
export const recommendReplicas = (situation: ScalingSituation): number => {
  const { requestedMillicores, samples, scaling, wanted } = situation;
  const utilization = utilizationOf(situation);
  if (utilization === undefined) return wanted;
  const ratio = utilization / scaling.cpuUtilization;
  if (isNear(ratio, situation)) return wanted;
  const settled = samples.filter(({ isSettled }) => isSettled);
  const counted = ratio > 1 ? samples.length : settled.length;
  const assumed = ratio > 1 ? 0 : requestedMillicores;
  const used = settled.reduce((sum, { cpuMillicores }) => sum + (cpuMillicores ?? assumed), 0);
  const target = (requestedMillicores * scaling.cpuUtilization) / 100;
  const corrected = used / (target * counted);
  if (isNear(corrected, situation) || corrected > 1 !== ratio > 1) return wanted;
  // Sums of decimals end a hair above whole numbers.
  const recommended = Math.max(0, Math.ceil(used / target - 1e-9));
  return ratio > 1 ? Math.max(wanted, recommended) : Math.min(wanted, recommended);
};

/** Goes up at once, and down only to the most that was recommended within the window: a short lull must not cost instances. */
export class Stabilizer {
  readonly #windowMs: number;
  readonly #recommended = new Map<string, { readonly at: number; readonly replicas: number }[]>();

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** The first time what is wanted counts as recommended: whoever takes over waits for a whole window before going down. */
  settle(key: string, wanted: number, recommended: number, now: number): number {
    // The clock may have been put back: what it calls the future would hold for hours.
    const past = (this.#recommended.get(key) ?? []).filter(({ at }) => at <= now);
    const before = past.length > 0 ? past : [{ at: now, replicas: wanted }];
    const recent = [...before.filter(({ at }) => at > now - this.#windowMs), { at: now, replicas: recommended }];
    this.#recommended.set(key, recent);
    if (recommended >= wanted) return recommended;
    return Math.min(wanted, Math.max(...recent.map(({ replicas }) => replicas)));
  }

  /** Forgets everybody else: they are gone, or not to be scaled at the moment. */
  keepOnly(keys: ReadonlySet<string>): void {
    for (const key of this.#recommended.keys()) if (!keys.has(key)) this.#recommended.delete(key);
  }
}
