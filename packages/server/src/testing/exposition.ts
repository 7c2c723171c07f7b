/** Reads the text format of Prometheus, version 0.0.4, and throws at anything that the format or its naming conventions do not allow. */

interface ReadSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}
interface Family {
  readonly type: string;
  readonly samples: ReadSample[];
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABEL = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"';
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(${LABEL}(?:,${LABEL})*)\\})? ([+-]?(?:\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?|Inf)|NaN)$`);

const labelsIn = (text = ''): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name = '', value = '']) => [name, value]));

const refuse = (line: string, reason: string): never => {
  throw new Error(`${reason}: ${line}`);
};

/** Checks that the buckets of each series are cumulative and end with the count. */
const checkHistogram = (name: string, samples: readonly ReadSample[]): void => {
  const series = Map.groupBy(samples, ({ labels }) => JSON.stringify({ ...labels, le: undefined }));
  for (const [labels, own] of series) {
    const buckets = own.filter((sample) => sample.name === `${name}_bucket`);
    const counts = buckets.map(({ value }) => value);
    const bounds = buckets.map(({ labels: { le = '' } }) => (le === '+Inf' ? Infinity : Number(le)));
    const isRising = (list: readonly number[]): boolean => list.every((value, index) => index === 0 || value >= (list[index - 1] ?? 0));
    if (!isRising(counts) || !isRising(bounds) || bounds.at(-1) !== Infinity) refuse(labels, `${name} has buckets that are not cumulative`);
    if (own.find((sample) => sample.name === `${name}_count`)?.value !== counts.at(-1))
      refuse(labels, `${name}_count is not its last bucket`);
    if (!own.some((sample) => sample.name === `${name}_sum`)) refuse(labels, `${name} has no sum`);
  }
};

const belongs = (sample: string, name: string, type: string): boolean =>
  type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`].includes(sample) : sample === name;

export const readExposition = (text: string): ReadonlyMap<string, Family> => {
  if (!text.endsWith('\n')) refuse('the end', 'The text does not end with a line feed');
  const families = new Map<string, Family>();
  const seen = new Set<string>();
  let help = '';
  let current = '';
  for (const line of text.slice(0, -1).split('\n')) {
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (kind === 'HELP') {
      if (families.has(name)) refuse(line, 'A metric appears twice');
      help = name;
    } else if (kind === 'TYPE') {
      if (help !== name) refuse(line, 'A type without help');
      if (!['counter', 'gauge', 'histogram'].includes(rest)) refuse(line, 'An unknown type');
      if ((rest === 'counter') !== name.endsWith('_total')) refuse(line, 'Counters, and they alone, end with _total');
      families.set(name, { type: rest, samples: [] });
      current = name;
    } else {
      const [, sample = '', labels, value = ''] = SAMPLE.exec(line) ?? refuse(line, 'No sample');
      const family = families.get(current) ?? refuse(line, 'A sample without a type');
      if (!belongs(sample, current, family.type)) refuse(line, `A sample of another metric below ${current}`);
      if (seen.has(`${sample}{${labels}}`)) refuse(line, 'A series appears twice');
      seen.add(`${sample}{${labels}}`);
      family.samples.push({ name: sample, labels: labelsIn(labels), value: value === '+Inf' ? Infinity : Number(value) });
    }
  }
  for (const [name, { type, samples }] of families) {
    if (samples.length === 0) refuse(name, 'A metric without samples');
    if (type === 'histogram') checkHistogram(name, samples);
  }
  return families;
};
