/** One line of a log as the screen keeps it: cleaned of what terminals draw with, and with a guess at how bad it is. */

export type LogLevel = 'info' | 'warn' | 'error';

export interface LogLine {
  /** Address of the line, `instance:number`, or the number alone where there is one source. */
  readonly key: string;
  readonly number: number;
  /** ISO 8601. */
  readonly at: string;
  /** The instance that wrote it. */
  readonly source?: string;
  readonly level: LogLevel;
  readonly text: string;
}

export const lineKey = (source: string | undefined, number: number): string =>
  source === undefined ? String(number) : `${source}:${number}`;

// Colours and cursor movements of terminals, then every other control character but the tab.
// oxlint-disable-next-line no-control-regex
const drawing = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)|[@-Z\\-_])|[\u0000-\u0008\u000A-\u001F\u007F]/g;

export const cleanText = (raw: string): string => raw.replace(drawing, '').replaceAll('\t', '    ').trimEnd();

/** pino and bunyan count levels in tens. */
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
 * A structured line says its level. In free text only what programs write on purpose counts: a word in capitals, a word at the start, or
 * the name of an exception before a colon; "0 errors" is none.
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
/** "14:08:53.702"; one formatter for all lines, since making one costs more than a whole screen of them. */
export const clockOf = (at: string): string => clock.format(new Date(at));

export interface LogMessage {
  readonly message: string;
  /** `req.url=/healthz`, in the order of the line. */
  readonly fields: readonly string[];
}

/** Said elsewhere of each line, or the same in all lines of a program. */
const usualFields = new Set(['level', 'lvl', 'severity', 'time', 'timestamp', '@timestamp', 'ts', 'pid', 'hostname', 'v', 'name']);
const messageFields = ['msg', 'message', 'event'];

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
const fieldsOf = (prefix: string, value: unknown): string[] => {
  if (isObject(value)) return Object.entries(value).flatMap(([name, inner]) => fieldsOf(`${prefix}.${name}`, inner));
  return [`${prefix}=${typeof value === 'string' ? value : JSON.stringify(value)}`];
};

/** A structured line as a message and fields; any other line is a message alone. */
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
