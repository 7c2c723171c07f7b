/**
 * The report of a push: whether its pack was accepted, and the result for each ref. Git writes the report; this file parses it to learn
 * which refs moved, and adds lines for the user.
 */
import { Readable } from 'node:stream';
import { ByteReader, bandPkts, flushPkt, messagePkts, pkt } from './pkt-line.ts';

export interface PushReport {
  /** `ok`, or why the pack was rejected. */
  readonly unpack: string;
  /** Maps each ref to undefined if it moved, otherwise to the reason. */
  readonly refs: ReadonlyMap<string, string | undefined>;
}

export const encodeReport = (report: PushReport): Buffer =>
  Buffer.concat([
    pkt(`unpack ${report.unpack}\n`),
    ...[...report.refs].map(([ref, refusal]) => pkt(refusal === undefined ? `ok ${ref}\n` : `ng ${ref} ${refusal}\n`)),
    flushPkt,
  ]);

export async function parseReport(bytes: Buffer): Promise<PushReport> {
  const lines = await new ByteReader(Readable.from([bytes])).section(bytes.length + 1);
  const refs = new Map<string, string | undefined>();
  let unpack = '';
  for (const line of lines) {
    const text = line.toString('utf8');
    const [verb = '', ref = ''] = text.split(' ', 2);
    if (verb === 'unpack') unpack = text.slice('unpack '.length);
    else if (verb === 'ok') refs.set(ref, undefined);
    else if (verb === 'ng') refs.set(ref, text.slice(verb.length + ref.length + 2));
  }
  return { unpack, refs };
}

/** Encodes a report for the client. `messages` are sent only if the client supports side bands. */
export function frameReport(report: Buffer, isBanded: boolean, messages: readonly string[]): Buffer {
  return isBanded ? Buffer.concat([messagePkts(messages), bandPkts(1, report), flushPkt]) : report;
}

export interface ReportAnswer {
  /** Lines to show the user. */
  readonly messages: readonly string[];
  /** Replaces git's reason for rejecting the pack. */
  readonly unpack?: string | undefined;
}

/**
 * Forwards git's response: progress immediately, and the report after `onReport` has processed it and git has ended. `isSilent` is true if
 * git would have shown an error to the user, but did not: the system ended it.
 */
export async function* relayReport(
  output: AsyncGenerator<Buffer>,
  isBanded: boolean,
  onReport: (report: PushReport, isSilent: boolean) => Promise<ReportAnswer>,
): AsyncGenerator<Buffer> {
  const reader = new ByteReader(output);
  const kept: Buffer[] = [];
  let isSilent = isBanded;
  try {
    if (isBanded) {
      for (let line = await reader.pkt(); line !== undefined && line !== null; line = await reader.pkt()) {
        if (line[0] === 1 && line.length > 1) kept.push(line.subarray(1));
        else yield pkt(line);
        if (line[0] === 2 && /\b(fatal|error): /.test(line.toString('latin1'))) isSilent = false;
      }
    } else {
      for await (const chunk of reader.rest()) kept.push(chunk);
    }
    const bytes = Buffer.concat(kept);
    // Git pushes without commands to check whether it may push. Then there is nothing to report.
    const report = bytes.length === 0 ? undefined : await parseReport(bytes);
    const answer = report && (await onReport(report, isSilent));
    while ((await output.next()).done !== true);
    if (!report || !answer) return;
    const { messages, unpack } = answer;
    yield frameReport(unpack === undefined ? bytes : encodeReport({ ...report, unpack }), isBanded, messages);
  } finally {
    // A client that disconnected must not leave git running.
    await output.return(undefined);
  }
}
