/** Asks a registry for its level of compatibility, which shows the address, the credentials, and whether it has Confluent's API. */
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import { causeOf } from '#kernel/caught.ts';
import type { EngineProbe } from '#ports/engine-probe.ts';
import { Level } from './registry-api.ts';
import type { RegistryAddress } from './registry-client.ts';

const ANSWER_MS = 10_000;

export const registryProbe = (environment: Environment, { url, authorization }: RegistryAddress): EngineProbe => ({
  place: environment,
  probe: async (findings) => {
    const suffix = environment.toUpperCase();
    const headers = { accept: 'application/json', ...(authorization === undefined ? {} : { authorization }) };
    const answer = await fetch(`${url}/config`, { redirect: 'manual', headers, signal: AbortSignal.timeout(ANSWER_MS) }).catch(causeOf);
    if (typeof answer === 'string') {
      findings.failed(`${url} does not answer: ${answer}.`, `Correct SLIPWAY_SCHEMA_REGISTRY_URL_${suffix}.`);
    } else if (answer.status === 401 || answer.status === 403) {
      findings.failed(
        `The registry refuses the platform (${answer.status}).`,
        `Correct SLIPWAY_SCHEMA_REGISTRY_AUTHORIZATION_${suffix}: credentials that may register, delete and set levels, as the value of the Authorization header.`,
      );
    } else if (!answer.ok || !Level.safeParse(await answer.json().catch(() => undefined)).success) {
      findings.failed(
        `${url}/config is not of Confluent's API (answer ${answer.status}).`,
        'Name the base address, such as …/apis/ccompat/v7 for Apicurio.',
      );
    } else findings.ok(`${url} answers. Rights to write show only with the first schema.`);
    return undefined;
  },
});
