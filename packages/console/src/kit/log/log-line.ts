/** A log line as the console keeps it: without terminal control sequences, and with a guessed level. */

export type LogLevel = 'info' | 'warn' | 'error';

export interface LogLine {
  /** Id of the line in URLs: `instance:number`, or only the number if there is one source. */
  readonly key: string;
  readonly number: number;
  /** ISO 8601. */
  readonly at: string;
  /** The instance that wrote the line. */
  readonly source?: string;
  readonly level: LogLevel;
  /** The message; of a structured line, its fields follow. */
  readonly text: string;
  /** Length of the message in `text` if fields follow it. */
  readonly messageLength?: number;
}

export const lineKey = (source: string | undefined, number: number): string =>
  source === undefined ? String(number) : `${source}:${number}`;

// Terminal colors and cursor movements, then every other control character except tab.
// oxlint-disable-next-line no-control-regex
const drawing = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)|[@-Z\\-_])|[\u0000-\u0008\u000A-\u001F\u007F]/g;

export const cleanText = (raw: string): string => raw.replace(drawing, '').replaceAll('\t', '    ').trimEnd();

/** pino and bunyan levels are multiples of ten. */
const pinoWarn = 40;
const pinoError = 50;

const ofWord = (word: string): LogLevel => {
  if (/^(err|error|fatal|crit|critical|alert|emerg|emergency|panic)$/i.test(word)) return 'error';
  return /^warn(ing)?$/i.test(word) ? 'warn' : 'info';
};

/** `"level":"warn"`, `"level":40`, `severity=ERROR`, `level=warn`. */
const named = /(?:^|[\s,{"])(?:level|lvl|severity)"?\s*[:=]\s*"?([A-Za-z]+|\d+)/;

const errorText = [
  /\b(ERROR|FATAL|CRITICAL|PANIC)\b/,
  /^\W*(error|fatal|panic|uncaught|unhandled)\b/i,
  /\b(?:[A-Z]\w*)?(Error|Exception)\b:/,
];
const warningText = [/\bWARN(ING)?\b/, /^\W*warn(ing)?\b/i, /\b\w+Warning:/];

/**
 * Returns the level of a line. A structured line names it. Free text counts only if it has a word in capitals, a word at the start, or
 * the name of an exception before a colon; "0 errors" does not count.
 */
export const levelOf = (text: string): LogLevel => {
  const value = named.exec(text)?.[1];
  if (value !== undefined) {
    const number = Number(value);
    if (Number.isNaN(number)) return ofWord(value);
    return number >= pinoError ? 'error' : number >= pinoWarn ? 'warn' : 'info';
  }
  if (errorText.some((pattern) => pattern.test(text))) return 'error';
  return warningText.some((pattern) => pattern.test(text)) ? 'warn' : 'info';
};

const clock = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
});
/** Formats as "14:08:53.702". All lines share one formatter, since creating one is expensive. */
export const clockOf = (at: string): string => clock.format(new Date(at));

export interface LogMessage {
  readonly message: string;
  /** `req.url=/healthz`, in the order in which the line has them. */
  readonly fields: readonly string[];
}

/** Fields to hide: shown elsewhere for each line, or the same in all lines of a program. */
const usualFields = new Set(['level', 'lvl', 'severity', 'time', 'timestamp', '@timestamp', 'ts', 'pid', 'hostname', 'v', 'name']);
const messageFields = ['msg', 'message', 'event'];

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
const fieldsOf = (prefix: string, value: unknown): string[] => {
  if (isObject(value)) return Object.entries(value).flatMap(([name, inner]) => fieldsOf(`${prefix}.${name}`, inner));
  return [`${prefix}=${typeof value === 'string' ? value : JSON.stringify(value)}`];
};

/** Splits a structured line into message and fields; any other line is only a message. */
export const messageOfLine = (text: string): LogMessage => {
  const whole = { message: text, fields: [] };
  if (!text.startsWith('{')) return whole;
  try {
    const line: unknown = JSON.parse(text);
    if (!isObject(line)) return whole;
    const named = messageFields.find((name) => typeof line[name] === 'string');
    const rest = Object.entries(line).filter(([name]) => name !== named && !usualFields.has(name));
    return { message: named === undefined ? '' : String(line[named]), fields: rest.flatMap(([name, value]) => fieldsOf(name, value)) };
  } catch {
    return whole;
  }
};

/** Returns what a log shows of a raw line: its text and its guessed level. */
export const shownLine = (raw: string): Pick<LogLine, 'level' | 'text' | 'messageLength'> => {
  const text = cleanText(raw);
  const level = levelOf(text);
  const { message, fields } = messageOfLine(text);
  if (fields.length === 0) return { level, text: message };
  return { level, text: [message, ...fields].filter((part) => part !== '').join(' '), messageLength: message.length };
};
