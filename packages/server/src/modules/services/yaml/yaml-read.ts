/** Merges service.yaml into settings: omitted values stay, and each error names its line. */
import { environmentOf } from '@slipway/contract/kernel/fields.ts';
import type { FieldError } from '@slipway/contract/kernel/errors.ts';
import { isRecord } from '@slipway/contract/kernel/is-record.ts';
import { fieldErrors } from '@slipway/contract/kernel/issues.ts';
import { ServiceSettings } from '@slipway/contract/service/service-settings.ts';
import { Problem } from '#kernel/problem.ts';
import type { ServiceKey } from '../services.sql.ts';
import { fileShape, isMap, yamlHead, type Shape } from './yaml-shape.ts';
import { readTree } from './yaml-thread.ts';
import { invalid, MAX_PROBLEMS } from './yaml-tree.ts';

export interface SettingsFile {
  readonly settings: ServiceSettings;
  /** Returns the field's line, starting at 1. Undefined if the file omits the field. */
  lineOf(path: string): number | undefined;
}

/** Merges maps key by key. Lists and values are replaced. */
const onto = (base: unknown, read: unknown, shape: Shape): unknown => {
  if (read === undefined) return base;
  if (shape === null || !isMap(shape) || !isRecord(read)) return read;
  const from: Record<string, unknown> = isRecord(base) ? base : {};
  return { ...from, ...Object.fromEntries(Object.keys(read).map((key) => [key, onto(from[key], read[key], shape[key] ?? null)])) };
};

const headErrors = (file: Record<string, unknown>, key: ServiceKey, lines: ReadonlyMap<string, number>): FieldError[] => {
  const lineOf = (path: string) => lines.get(path) ?? 1;
  const metadata = file['metadata'];
  const { app = key.app, environment = key.environment, name = key.service } = isRecord(metadata) ? metadata : {};
  const isOther = app !== key.app || environmentOf(String(environment)) !== key.environment || name !== key.service;
  const { apiVersion = yamlHead.apiVersion, kind = yamlHead.kind } = file;
  return [
    ...(apiVersion === yamlHead.apiVersion ? [] : [invalid(lineOf('apiVersion'), `apiVersion is ${yamlHead.apiVersion}`)]),
    ...(kind === yamlHead.kind ? [] : [invalid(lineOf('kind'), `kind is ${yamlHead.kind}`)]),
    ...(isOther
      ? [
          {
            field: 'yaml',
            code: 'YamlOtherService',
            context: { name: `${String(app)}/${String(environment)}/${String(name)}`, line: String(lineOf('metadata')) },
          },
        ]
      : []),
  ];
};

/** Adds the line of the error's field, or of the nearest parent that is in the file. */
export const withLine = (error: FieldError, lineOf: SettingsFile['lineOf']): FieldError => {
  for (let path = error.field ?? ''; path !== ''; path = path.slice(0, Math.max(0, path.lastIndexOf('.')))) {
    const line = lineOf(path);
    if (line !== undefined) return { ...error, context: { ...error.context, line: String(line) } };
  }
  return error;
};

/** Returns `current` merged with the file. Throws all errors, each with its line. */
export const readYaml = async (text: string, key: ServiceKey, current: ServiceSettings): Promise<SettingsFile> => {
  const { file, lines, errors: found } = await readTree(text);
  const errors = [...found, ...headErrors(file, key, lines)];
  if (errors.length > 0) throw Problem.fields(errors.slice(0, MAX_PROBLEMS));
  const { apiVersion: _version, kind: _kind, metadata: _metadata, ...wanted } = file;
  const parsed = ServiceSettings.safeParse(onto(current, wanted, fileShape), { reportInput: true });
  const lineOf = (path: string) => lines.get(path);
  if (!parsed.success) throw Problem.fields(fieldErrors(parsed.error).map((error) => withLine(error, lineOf)));
  return { settings: parsed.data, lineOf };
};
