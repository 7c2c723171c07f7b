/** Formats a setting's value for display. Unknown values stay unchanged. */
import { compatibilityTexts, CompatibilityLevel, schemaTypeLabels, SchemaType } from '@slipway/contract/streaming/schema.ts';
import { classificationLabels, CleanupPolicy, DataClassification } from '@slipway/contract/streaming/streaming.ts';
import { bytes } from '@slipway/ui/format/bytes.ts';
import { cleanupLabels, hoursLabel } from '#features/streaming/streaming-labels.ts';

/** Formats single-line JSON on several lines, for a readable diff. */
const laidOut = (text: string): string => {
  if (text.includes('\n')) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};
const known =
  <T extends string>(schema: { safeParse: (value: unknown) => { data?: T | undefined } }, words: (value: T) => string) =>
  (text: string) => {
    const { data } = schema.safeParse(text);
    return data === undefined ? text : words(data);
  };

const texts: Readonly<Record<string, (text: string) => string>> = {
  content: laidOut,
  type: known(SchemaType, (type) => schemaTypeLabels[type]),
  compatibility: known(CompatibilityLevel, (level) => compatibilityTexts[level].label),
  'spec.dataSecurityClassification': known(DataClassification, (value) => classificationLabels[value]),
  'spec.isSharable': (text) => (text === 'true' ? 'Any app may ask' : 'Own team only'),
  'spec.retentionHours': (text) => hoursLabel(Number(text)),
  'spec.segmentBytes': (text) => bytes(Number(text)),
  'spec.cleanupPolicy': known(CleanupPolicy, (policy) => cleanupLabels[policy]),
};
export const settingText = (field: string, text: string): string => texts[field]?.(text) ?? text;
