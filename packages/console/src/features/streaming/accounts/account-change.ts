/** Changes an account. Sends its description and all of its topics; a pipeline updates the rules. */
import { accountUpdate, type Account, type AccountTopic } from '@slipway/contract/streaming/account.ts';
import { runOf } from '@slipway/contract/pipeline/plan.ts';
import { refresh } from '#entities/changes/refresh.ts';
import { toastRun } from '#entities/pipeline/index.ts';
import { useWrite } from '#kit/api/write.ts';
import type { AccountPlace } from '#features/streaming/use-place.ts';

export interface Topics {
  produceTopics: { resourceId: string; applicationCode: string }[];
  consumeTopics: { resourceId: string; applicationCode: string }[];
}
const reference = ({ resourceId, applicationCode }: AccountTopic) => ({ resourceId, applicationCode });
/** The account's current topics. */
export const topicsOf = ({ produceTopics, consumeTopics }: Account): Topics => ({
  produceTopics: produceTopics.map(reference),
  consumeTopics: consumeTopics.map(reference),
});
export const useAccountChange = (place: AccountPlace, account: Account) => {
  const write = useWrite(accountUpdate);
  /** Properties that `wanted` omits stay unchanged. */
  const change = async (wanted: Topics | { description: string }, reason?: string): Promise<void> => {
    const body = {
      description: account.description,
      ...topicsOf(account),
      ...wanted,
      ...(reason === undefined || reason === '' ? {} : { reason }),
    };
    const run = runOf(await write.send({ params: { ...place }, body }));
    toastRun(`${account.name} is being changed`, run);
    await refresh({ kind: 'account', app: place.app, env: place.env });
  };
  return { change };
};
