/** Adds a topic to an account: a topic of this app, or one shared by another app, which may require a request. */
import type { Account } from '@slipway/contract/streaming/account.ts';
import { FormDialog } from '#kit/form/FormDialog.tsx';
import { RadioCardsField } from '#kit/form/ChoiceFields.tsx';
import { TextField } from '#kit/form/TextField.tsx';
import { useApiForm } from '#kit/form/use-api-form.ts';
import { useWatch } from 'react-hook-form';
import * as z from 'zod/mini';
import { topicsOf, useAccountChange } from './account-change.ts';
import { TopicChoice } from './TopicChoice.tsx';
import { comesTo, grantHint, useOfferedTopics } from './offered-topics.ts';
import { useEventsPlace, type AccountPlace } from '#features/streaming/use-place.ts';

const schema = z.object({
  operation: z.enum(['READ', 'WRITE']),
  topic: z.string().check(z.minLength(1, { error: 'Required' })),
  reason: z.string().check(z.maxLength(500, { error: 'ExceedsMaximumLength' })),
});

export default function AddTopicDialog({ place, account, onClose }: { place: AccountPlace; account: Account; onClose: () => void }) {
  const offered = useOfferedTopics(place);
  const { at } = useEventsPlace();
  const asking = { ...place, team: at.application?.teamId };
  const { change } = useAccountChange(place, account);
  const form = useApiForm({
    schema,
    defaultValues: { operation: 'READ', topic: '', reason: '' },
    labels: { operation: 'It', topic: 'Topic', reason: 'Why you need it' },
    // The added topic is the last one. Errors of other topics appear for the whole form.
    serverFields: {
      [`produceTopics.${account.produceTopics.length}`]: 'topic',
      [`consumeTopics.${account.consumeTopics.length}`]: 'topic',
    },
    onSubmit: async ({ operation, topic, reason }) => {
      const chosen = offered.byId(topic);
      if (!chosen) return;
      const { produceTopics, consumeTopics } = topicsOf(account);
      const added = { resourceId: chosen.id, applicationCode: chosen.applicationCode };
      await change(
        operation === 'WRITE'
          ? { produceTopics: [...produceTopics, added], consumeTopics }
          : { produceTopics, consumeTopics: [...consumeTopics, added] },
        reason,
      );
      onClose();
    },
  });
  const [chosenOperation, topic] = useWatch({ control: form.control, name: ['operation', 'topic'] });
  const operation = chosenOperation === 'WRITE' ? 'WRITE' : 'READ';
  const chosen = offered.byId(topic);
  return (
    <FormDialog form={form} onClose={onClose} title={`Add a topic to ${account.name}`} submitLabel="Add topic" busyLabel="Adding">
      <RadioCardsField
        form={form}
        name="operation"
        options={[
          { value: 'READ', label: 'Reads it', note: 'Reader groups of the account begin with its prefix.' },
          { value: 'WRITE', label: 'Writes it' },
        ]}
      />
      <TopicChoice form={form} name="topic" offered={offered} app={place.app} hint={chosen && grantHint(asking, chosen, operation)} />
      {chosen && comesTo(asking, chosen, operation) === 'REQUEST' && (
        <TextField form={form} name="reason" hint="The team that owns the topic reads it." />
      )}
    </FormDialog>
  );
}
