/** Checks what protoc refuses within one message or enum: duplicate or reserved numbers and names. */
import type { Span } from '../text/source-text.ts';
import type { NumberRange, ProtoEnum, ProtoField, ProtoFile, ProtoMessage } from './proto-file.ts';

/** Receives problems and counts the work. */
export interface Report {
  problem(file: ProtoFile, span: Span, message: string): void;
  spend(steps: number): void;
}

export const isIn = ({ first, last }: NumberRange, number: number): boolean => number >= first && number <= last;

/** Returns the JSON name as protoc derives it: without underscores, and with a capital letter after each. */
export const jsonName = (field: ProtoField): string =>
  field.options.find(({ name }) => name === 'json_name')?.value ??
  field.name.replace(/_+([a-z0-9])?/gi, (_, letter?: string) => letter?.toUpperCase() ?? '');

export const checkNumbers = (message: ProtoMessage, file: ProtoFile, report: Report): void => {
  const byNumber = new Map<number, ProtoField>();
  const reservedNames = new Set(message.reservedNames.map(({ name }) => name));
  for (const field of message.fields) {
    const other = byNumber.get(field.number);
    if (other !== undefined) report.problem(file, field.numberSpan, `The number ${field.number} belongs to ${other.name} already.`);
    byNumber.set(field.number, field);
    report.spend(message.reserved.length + message.extensions.length);
    if (message.reserved.some((range) => isIn(range, field.number)))
      report.problem(file, field.numberSpan, `The number ${field.number} is reserved.`);
    if (message.extensions.some((range) => isIn(range, field.number)))
      report.problem(file, field.numberSpan, `The number ${field.number} is in an extension range.`);
    if (reservedNames.has(field.name)) report.problem(file, field.nameSpan, `The name ${field.name} is reserved.`);
  }
  for (const { first, span } of [...message.reserved, ...message.extensions])
    if (first < 1) report.problem(file, span, 'The numbers of fields begin with 1.');
  checkOverlaps([...message.reserved, ...message.extensions], file, report);
  checkTwice(message.reservedNames, file, report);
};

const checkOverlaps = (ranges: readonly NumberRange[], file: ProtoFile, report: Report): void => {
  const sorted = [...ranges].sort((a, b) => a.first - b.first);
  for (const [index, range] of sorted.entries()) {
    const before = sorted[index - 1];
    if (before !== undefined && before.last >= range.first)
      report.problem(file, range.span, `The numbers ${range.first} to ${range.last} overlap with ${before.first} to ${before.last}.`);
  }
};

const checkTwice = (names: readonly { readonly name: string; readonly span: Span }[], file: ProtoFile, report: Report): void => {
  const seen = new Set<string>();
  for (const { name, span } of names) {
    if (seen.has(name)) report.problem(file, span, `The name ${name} is reserved twice.`);
    seen.add(name);
  }
};

/** In proto3, two fields must not have the same JSON name. */
export const checkJsonNames = (message: ProtoMessage, file: ProtoFile, report: Report): void => {
  const names = new Map<string, string>();
  for (const field of message.fields) {
    const name = jsonName(field);
    const other = names.get(name);
    const isCustom = field.options.some((option) => option.name === 'json_name');
    if (other !== undefined && (file.syntax === 'proto3' || isCustom))
      report.problem(file, field.nameSpan, `${field.name} and ${other} are both “${name}” in JSON.`);
    names.set(name, field.name);
  }
};

export const checkEnum = (found: ProtoEnum, file: ProtoFile, report: Report): void => {
  const [first] = found.values;
  if (first === undefined) return report.problem(file, found.nameSpan, 'An enum needs a value.');
  if (file.syntax === 'proto3' && first.number !== 0) report.problem(file, first.span, 'The first value of an enum is 0 in proto3.');
  const isAlias = found.options.find(({ name }) => name === 'allow_alias');
  const byNumber = new Map<number, string>();
  let aliases = 0;
  const reservedNames = new Set(found.reservedNames.map(({ name }) => name));
  for (const value of found.values) {
    report.spend(found.reserved.length);
    const other = byNumber.get(value.number);
    if (other !== undefined) {
      aliases++;
      if (isAlias?.value !== 'true')
        report.problem(file, value.span, `The number ${value.number} belongs to ${other} already. Aliases need option allow_alias = true.`);
    }
    byNumber.set(value.number, value.name);
    if (found.reserved.some((range) => isIn(range, value.number)))
      report.problem(file, value.span, `The number ${value.number} is reserved.`);
    if (reservedNames.has(value.name)) report.problem(file, value.span, `The name ${value.name} is reserved.`);
  }
  if (isAlias?.value === 'true' && aliases === 0) report.problem(file, isAlias.span, `${found.name} allows aliases, and has none.`);
  checkOverlaps(found.reserved, file, report);
  checkTwice(found.reservedNames, file, report);
};
