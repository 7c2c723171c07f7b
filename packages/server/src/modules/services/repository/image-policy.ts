/** The image update policy: which pushed tag a service deploys by itself, and from when on. */
import type { ServiceSpec } from '@slipway/contract/service/service-spec.ts';
import type { PushedTag } from '#ports/registry.ts';
import { tagMatcher } from './tag-matcher.ts';

const waitsFor = ({ imageUpdatePolicy: { type, regex }, containerImageName }: ServiceSpec): string | null =>
  type === 'REGEX' ? `${containerImageName} ${regex.pattern}` : null;

/** For the row that gets these settings: a policy that begins, or is another one now, waits for pushes from then on. */
export const policySeen = (before: ServiceSpec | undefined, after: ServiceSpec): { image_seen_at?: Date } => {
  const isNew = waitsFor(after) !== null && (before === undefined || waitsFor(before) !== waitsFor(after));
  return isNew ? { image_seen_at: new Date() } : {};
};

/** Of pushes into the service's repository, the newest first, the one to deploy. A pattern that cannot be read matches nothing. */
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
