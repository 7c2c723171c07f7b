/** The image update policy: which pushed tags a service deploys automatically, and from which time. */
import type { ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import type { PushedTag } from '#ports/registry.ts';
import { tagMatcher } from './tag-matcher.ts';

const waitsFor = ({ imageUpdatePolicy: { type, regex }, containerImageName }: ServiceSpec): string | null =>
  type === 'REGEX' ? `${containerImageName} ${regex.pattern}` : null;

/** Returns the column update for new settings: a new or changed policy only considers pushes from now on. */
export const policySeen = (before: ServiceSpec | undefined, after: ServiceSpec): { image_seen_at?: Date } => {
  const isNew = waitsFor(after) !== null && (before === undefined || waitsFor(before) !== waitsFor(after));
  return isNew ? { image_seen_at: new Date() } : {};
};

/** Returns the newest matching push. `pushes` are sorted newest first. An invalid pattern matches nothing. */
export const wantedPush = (pattern: string, pushes: readonly PushedTag[]): PushedTag | undefined => {
  const isMatch = matcherOf(pattern);
  return pushes.find(({ tag }) => isMatch(tag));
};
const matcherOf = (pattern: string): ((tag: string) => boolean) => {
  try {
    return tagMatcher(pattern, 'pattern');
  } catch {
    return () => false;
  }
};
