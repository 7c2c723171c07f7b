/** The Prometheus text format: parses the output of a service's metrics endpoint, and formats it again with labels of the platform. */

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The number as written. Keeps NaN, +Inf and every digit, which JSON numbers cannot. */
  readonly value: string;
}
export interface Family {
  readonly name: string;
  /** counter, gauge, histogram, summary, untyped. */
  readonly type: string;
  readonly help: string | null;
  readonly samples: readonly Sample[];
}

export class ExpositionError extends Error {}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*/;
const LABEL = /\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(,|(?=\}))/y;
const NUMBER = /^[+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|Inf|NaN)$/i;
/** Suffixes that histograms, summaries and counters append to the family name in their samples. */
const PARTS = /_(?:bucket|sum|count|total|created)$/;
const TYPES: ReadonlySet<string> = new Set(['counter', 'gauge', 'histogram', 'summary']);

const unescape = (text: string): string => text.replaceAll(/\\(.)/g, (_all, char: string) => (char === 'n' ? '\n' : char));
const escape = (text: string): string => text.replaceAll(/["\\\n]/g, (char) => (char === '\n' ? '\\n' : `\\${char}`));

/** Parses the text format. Throws `ExpositionError` with the number of an invalid line, or if there are more samples than `maxSamples`. */
export const parseExposition = (text: string, maxSamples: number): Family[] => {
  const families = new Map<string, { name: string; type: string; help: string | null; samples: Sample[] }>();
  const family = (name: string) => {
    const found = families.get(name) ?? { name, type: 'untyped', help: null, samples: [] };
    families.set(name, found);
    return found;
  };
  // The database cannot store a zero byte.
  if (text.includes('\0')) throw new ExpositionError('it holds a zero byte');
  let count = 0;
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    if (line === '') continue;
    const [, kind, name = '', rest = ''] = /^#\s+(HELP|TYPE)\s+(\S+)\s*(.*)$/.exec(line) ?? [];
    if (kind === 'HELP') family(name).help = unescape(rest);
    if (kind === 'TYPE') family(name).type = TYPES.has(rest) ? rest : 'untyped';
    if (line.startsWith('#')) continue;
    const sample = parseSample(line);
    if (!sample) throw new ExpositionError(`line ${index + 1} is not in the Prometheus text format`);
    if (++count > maxSamples) throw new ExpositionError(`it has more than ${maxSamples} series`);
    const whole = sample.name.replace(PARTS, '');
    family(families.has(sample.name) || !families.has(whole) ? sample.name : whole).samples.push(sample);
  }
  return [...families.values()].filter(({ samples }) => samples.length > 0);
};

const parseSample = (line: string): Sample | undefined => {
  const name = NAME.exec(line)?.[0];
  if (name === undefined) return undefined;
  const labels: Record<string, string> = {};
  let end = name.length;
  const open = /^\s*\{/.exec(line.slice(end));
  if (open) {
    end = LABEL.lastIndex = end + open[0].length;
    for (let match = LABEL.exec(line); match; match = LABEL.exec(line)) {
      labels[match[1] ?? ''] = unescape(match[2] ?? '');
      end = LABEL.lastIndex;
    }
    const close = /^\s*\}/.exec(line.slice(end));
    if (!close) return undefined;
    end += close[0].length;
  }
  // A timestamp and an exemplar may follow.
  const [value = '', time] = line
    .slice(end)
    .replace(/\s#\s.*$/, '')
    .trim()
    .split(/\s+/);
  return NUMBER.test(value) && (time === undefined || NUMBER.test(time)) ? { name, labels, value } : undefined;
};

const isAddable = (type: string, { name, labels }: Sample): boolean =>
  type === 'counter' || type === 'histogram' || (type === 'summary' && labels['quantile'] === undefined && PARTS.test(name));

export interface InstanceFamilies {
  readonly instance: string;
  readonly revision: string;
  readonly families: readonly Family[];
}
export interface SummedSample {
  readonly name: string;
  readonly type: string;
  readonly help: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/**
 * Returns counters summed over the instances. Samples that cannot be added (gauges, quantiles) appear once per instance, with its label.
 * Omits numbers that are not finite.
 */
export const summed = (all: readonly InstanceFamilies[]): SummedSample[] => {
  const found = new Map<string, SummedSample>();
  for (const { families, instance } of all) {
    for (const { help, samples, type } of families) {
      for (const sample of samples) {
        const value = Number(sample.value);
        if (!Number.isFinite(value)) continue;
        const labels = isAddable(type, sample) ? sample.labels : { ...exported(sample.labels, ['instance']), instance };
        const key = JSON.stringify([sample.name, Object.entries(labels).toSorted()]);
        found.set(key, { name: sample.name, type, help, labels, value: value + (found.get(key)?.value ?? 0) });
      }
    }
  }
  return [...found.values()];
};

/** Renames a program's label to `exported_…` if the platform sets that label, as Prometheus does. */
const exported = (labels: Readonly<Record<string, string>>, taken: readonly string[]): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).map(([name, value]) => [taken.includes(name) ? `exported_${name}` : name, value]));

/** Returns text for Prometheus: every sample of every instance, with `labels`, its revision and its instance. */
export const formatExposition = (all: readonly InstanceFamilies[], labels: Readonly<Record<string, string>>): string => {
  const names = new Map(all.flatMap(({ families }) => families).map((family) => [family.name, family]));
  const lines: string[] = [];
  for (const { help, name, type } of names.values()) {
    if (help !== null) lines.push(`# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`);
    lines.push(`# TYPE ${name} ${type}`);
    for (const { families, instance, revision } of all) {
      const own = { ...labels, revision, instance };
      for (const sample of families.find((family) => family.name === name)?.samples ?? []) {
        const words = Object.entries({ ...exported(sample.labels, Object.keys(own)), ...own }).map(
          ([key, value]) => `${key}="${escape(value)}"`,
        );
        lines.push(`${sample.name}{${words.join(',')}} ${sample.value}`);
      }
    }
  }
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
};
