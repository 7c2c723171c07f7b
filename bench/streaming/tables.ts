/** The tables of the bench, and its last lines. */
import { median } from '../compare/pairs.ts';
import type { FromApi, Steps } from './from-api.ts';
import type { Measured } from './orders.ts';
import type { Figures, Round } from './rounds.ts';

/** Ratios to Kafka that issue 12 asks for: a single message takes less time, and batches reach at least a third of Kafka's rate. */
const aims = { singleAtMost: 1, batchedAtLeast: 1 / 3 };

interface Row {
  readonly what: string;
  readonly unit: string;
  readonly better: 'more' | 'less';
  readonly of: (figures: Figures) => number;
}
type Name = 'single' | 'batched' | 'packed' | 'consumed' | 'endToEnd' | 'together';
const inRounds =
  (name: Name, figure: keyof Measured) =>
  ({ rounds }: Figures): number =>
    median(rounds.map((round: Round) => round[name][figure]));
const time = (what: string, of: Row['of']): Row => ({ what, unit: 'ms', better: 'less', of });
const rate = (what: string, of: Row['of']): Row => ({ what, unit: 'messages/s', better: 'more', of });
const processor = (what: string, figure: 'singleProcessorMs' | 'batchedProcessorMs'): Row =>
  time(what, ({ rounds }) => median(rounds.map((round) => round[figure])));
const memory = (what: string, of: Row['of']): Row => ({ what, unit: 'MB', better: 'less', of });

const singleP50 = time('one message, acknowledged, p50', inRounds('single', 'p50Ms'));
const batchedRate = rate('batches of 100, 5 on their way', inRounds('batched', 'perSecond'));
const rows = (topics: number): readonly Row[] => [
  singleP50,
  time('one message, acknowledged, p95', inRounds('single', 'p95Ms')),
  time('end to end, p50', inRounds('endToEnd', 'p50Ms')),
  time('end to end, p95', inRounds('endToEnd', 'p95Ms')),
  batchedRate,
  rate('the same, zstd', inRounds('packed', 'perSecond')),
  rate('read by a group', inRounds('consumed', 'perSecond')),
  rate('100 clients, one message each on its way', inRounds('together', 'perSecond')),
  time('100 clients, p50', inRounds('together', 'p50Ms')),
  time('100 clients, p95', inRounds('together', 'p95Ms')),
  time('100 clients signed in, first message', inRounds('together', 'signInMs')),
  processor('processor for 1000 single messages', 'singleProcessorMs'),
  processor('processor for 1000 messages in batches', 'batchedProcessorMs'),
  time('a topic is made', ({ topicMs }) => median(topicMs)),
  time(`start with ${topics} topics, to the first message`, ({ startMs }) => median(startMs)),
  memory('memory, idle', ({ idle }) => idle.megabytes),
  memory('memory, at most under load', ({ rounds }) => Math.max(...rounds.map(({ peakMegabytes }) => peakMegabytes))),
  memory(`memory, with ${topics} topics`, ({ megabytesWithTopics }) => megabytesWithTopics),
  { what: 'idle: wake-ups', unit: '1/s', better: 'less', of: ({ idle }) => idle.wakeups },
  { what: 'idle: written', unit: 'bytes/s', better: 'less', of: ({ idle }) => idle.writtenBytes },
  { what: 'idle: processor', unit: 'ms/s', better: 'less', of: ({ idle }) => idle.processorMs },
];

const shown = (value: number): string => (value >= 100 ? String(Math.round(value)) : value.toPrecision(2));
const ratio = (row: Row, ours: Figures, theirs: Figures): number => row.of(ours) / row.of(theirs);

export const printBrokers = (figures: readonly Figures[], rounds: number): void => {
  const [ours, theirs] = figures;
  if (!ours) return;
  const all = rows(ours.topics);
  console.table(
    all.map((row) => ({
      what: row.what,
      unit: row.unit,
      ...Object.fromEntries(figures.map((one) => [one.name, shown(row.of(one))])),
      ...(theirs && { ratio: ratio(row, ours, theirs).toFixed(2), better: row.better }),
    })),
  );
  const kafka = (row: Row): string =>
    theirs ? ` (Apache Kafka ${shown(row.of(theirs))}, ratio ${ratio(row, ours, theirs).toFixed(2)})` : '';
  const line = [singleP50, batchedRate].map((row) => `${row.what} ${shown(row.of(ours))} ${row.unit}${kafka(row)}`);
  console.log(`streaming (medians of ${rounds}): ${line.join('; ')}`);
  if (!theirs) return;
  const isMissed = ratio(singleP50, ours, theirs) >= aims.singleAtMost || ratio(batchedRate, ours, theirs) < aims.batchedAtLeast;
  if (isMissed) process.exitCode = 1;
};

const sum = ({ schemaMs, topicMs, accountMs, messageMs }: Steps): number => schemaMs + topicMs + accountMs + messageMs;
export const printFromApi = ({ cold, warm, idle }: FromApi): void => {
  console.table(
    Object.fromEntries(
      Object.entries({ 'the first of a platform': cold, 'a later one': warm }).map(([what, steps]) => [
        what,
        {
          'schema (ms)': Math.round(steps.schemaMs),
          'topic (ms)': Math.round(steps.topicMs),
          'account (ms)': Math.round(steps.accountMs),
          'first message (ms)': Math.round(steps.messageMs),
          'topic to message (ms)': Math.round(sum(steps) - steps.schemaMs),
        },
      ]),
    ),
  );
  const { megabytes, wakeups, writtenBytes, processorMs } = idle;
  console.log(
    `streaming by the API: schema, topic, account and message ${Math.round(sum(cold))} ms at first, ${Math.round(sum(warm))} ms later; ` +
      `idle broker ${Math.round(megabytes)} MB, ${wakeups.toFixed(1)} wake-ups/s, ${Math.round(writtenBytes)} bytes/s written, ${processorMs.toFixed(1)} ms/s`,
  );
};
