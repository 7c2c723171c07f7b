/** Computes how many instances a service needs for the CPU time that they use, with the formula of Kubernetes' horizontal autoscaler. */

export interface Scaling {
  readonly minReplicas: number;
  readonly maxReplicas: number;
  /** Target of the average CPU use, in percent of the CPU that an instance requested. */
  readonly cpuUtilization: number;
}
export interface ScalingSample {
  /** Whether the instance has been ready long enough that its samples reflect its work and not its start. */
  readonly isSettled: boolean;
  /** undefined if there are no samples. */
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
 * Returns the tolerance above the target. With enforced limits no instance can use more than 100 %. With a target of 95 %, the usual
 * tolerance would then never allow scaling up. The tolerance is therefore at most half of the room above the target.
 */
const toleranceAbove = ({ isLimited, scaling }: ScalingSituation): number =>
  isLimited && scaling.cpuUtilization < 100 ? Math.min(TOLERANCE, (100 / scaling.cpuUtilization - 1) / 2) : TOLERANCE;

const isNear = (ratio: number, situation: ScalingSituation): boolean => ratio >= 1 - TOLERANCE && ratio <= 1 + toleranceAbove(situation);

/** Returns the average use of settled instances in percent of the requested CPU, or undefined if there are no samples. */
export const utilizationOf = ({ requestedMillicores, samples }: ScalingSituation): number | undefined => {
  const measured = samples.flatMap(({ isSettled, cpuMillicores }) => (isSettled && cpuMillicores !== undefined ? [cpuMillicores] : []));
  if (measured.length === 0) return undefined;
  return (measured.reduce((sum, cpu) => sum + cpu, 0) / (measured.length * requestedMillicores)) * 100;
};

/**
 * Returns `ceil(n × current / target)` with a tolerance, before bounds apply. An instance without samples counts as idle when scaling up
 * and as fully busy when scaling down. A starting instance counts as idle when scaling up. Neither may reverse the direction.
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

/** Scales up at once. Scales down only to the highest recommendation within the window, so that a short lull does not cost instances. */
export class Stabilizer {
  readonly #windowMs: number;
  readonly #recommended = new Map<string, { readonly at: number; readonly replicas: number }[]>();

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** Counts `wanted` as the first recommendation, so that a new leader waits for a whole window before scaling down. */
  settle(key: string, wanted: number, recommended: number, now: number): number {
    // If the clock was set back, entries from the future would stay in effect for hours.
    const past = (this.#recommended.get(key) ?? []).filter(({ at }) => at <= now);
    const before = past.length > 0 ? past : [{ at: now, replicas: wanted }];
    const recent = [...before.filter(({ at }) => at > now - this.#windowMs), { at: now, replicas: recommended }];
    this.#recommended.set(key, recent);
    if (recommended >= wanted) return recommended;
    return Math.min(wanted, Math.max(...recent.map(({ replicas }) => replicas)));
  }

  /** Forgets all other keys: those revisions are gone, or are not scaled at the moment. */
  keepOnly(keys: ReadonlySet<string>): void {
    for (const key of this.#recommended.keys()) if (!keys.has(key)) this.#recommended.delete(key);
  }
}
