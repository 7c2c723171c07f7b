/** Reads the change that a failure's card proposes in the URL. The user reviews it like any other change. */
import type { ServiceSettings } from '@slipway/contract/service/service-settings.ts';
import { withValue } from './draft.ts';

type Spec = ServiceSettings['spec'];
const proposal = /^spec\.(exposedPort|resources\.memoryMegabytes):(\d{1,7})$/;

/** Returns the same spec for a text that proposes nothing. */
export const withFix = (spec: Spec, text: string): Spec => {
  const [, path, value] = proposal.exec(text) ?? [];
  return path === undefined ? spec : withValue(spec, path, Number(value));
};
