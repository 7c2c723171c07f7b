/** Checks the registry project's policy before a revision is made from an image. Waits for a running scan. */
import { setTimeout as delay } from 'node:timers/promises';
import { StepFailure, type StepContext } from '#modules/pipelines/index.ts';
import type { Registry } from '#ports/registry.ts';
import type { PullVerdict } from '#ports/registry-content.ts';

const POLL_MS = 500;
const PATIENCE_MS = 5 * 60_000;
/** States of a scan that has not finished. */
const UNDER_WAY: readonly (string | undefined)[] = ['QUEUED', 'SCANNING'];
const isUnderWay = (verdict: PullVerdict): boolean => !verdict.isAllowed && UNDER_WAY.includes(verdict.context['state']);

interface Asked {
  /** Without the host. */
  readonly repository: string;
  readonly digest: string;
  /** Displayed name: `{host}/{repository}:{tag}`. */
  readonly image: string;
}

/** Fails the step with the CVE that blocks the image. */
export const requireAllowed = async (
  registry: Registry,
  { signal, log }: Pick<StepContext<object, object>, 'signal' | 'log'>,
  { repository, digest, image }: Asked,
): Promise<void> => {
  const until = Date.now() + PATIENCE_MS;
  let verdict = await registry.mayPull(repository, digest);
  if (isUnderWay(verdict)) log(`${image} is being scanned`);
  while (isUnderWay(verdict) && Date.now() < until) {
    await delay(POLL_MS, undefined, { signal });
    verdict = await registry.mayPull(repository, digest);
  }
  if (verdict.isAllowed) return;
  log(verdict.message, 'ERROR');
  throw new StepFailure(verdict.code, { ...verdict.context, image });
};
