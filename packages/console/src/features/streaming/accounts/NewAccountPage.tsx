/** Creates an account: name, topics to write and read, and where the password goes. */
import { accountCreate, AccountCreate, accountGroupName, accountSecretKeys } from '@slipway/contract/streaming/account.ts';
import { physicalName } from '@slipway/contract/streaming/streaming.ts';
import type { MadeItem } from '@slipway/ui/list/MadeList.tsx';
import { KeyRound, ShieldCheck, UserRound } from 'lucide-react';
import { useWatch } from 'react-hook-form';
import type * as z from 'zod/mini';
import { paths } from '#entities/paths.ts';
import { CreationPanel } from '#entities/plan/CreationPanel.tsx';
import { NewForm, NewPage } from '#entities/resource/NewPage.tsx';
import { useRunForm } from '#entities/resource/use-run-form.ts';
import { TextField } from '#kit/form/TextField.tsx';
import type { ApiForm } from '#kit/form/use-api-form.ts';
import { useUrlState } from '#kit/state/url-state.ts';
import { AwayNotice } from '#features/streaming/BrokerNotice.tsx';
import { NameField } from '#features/streaming/parts/NameField.tsx';
import type { EventsPlace } from '#features/streaming/use-place.ts';
import { useOfferedTopics } from './offered-topics.ts';
import { PasswordField } from './password/PasswordField.tsx';
import { TopicListField } from './TopicListField.tsx';

type Values = z.input<typeof AccountCreate>;
/** `?topic=`: id of a topic to write, as linked from the topic page. */
const defaults = { topic: '' };

export function Component() {
  const { state } = useUrlState(defaults);
  return (
    <NewPage
      title="New account"
      lede="What a program signs in to Kafka with."
      hrefOf={paths.newAccount}
      membersOnly="Accounts"
      Notices={AwayNotice}
    >
      {(place, reason) => <NewAccount place={place} reason={reason} topic={state.topic} />}
    </NewPage>
  );
}

const useNewAccountForm = (place: EventsPlace, topic: string): ApiForm<Values> =>
  useRunForm({
    route: accountCreate,
    schema: AccountCreate,
    defaultValues: {
      name: '',
      description: '',
      produceTopics: topic === '' ? [] : [{ resourceId: topic, resourceType: 'TOPIC', applicationCode: place.app }],
      consumeTopics: [],
      secretGroup: undefined,
      reason: '',
    },
    labels: {
      name: 'Account name',
      description: 'Description',
      produceTopics: 'Topics that it writes',
      consumeTopics: 'Topics that it reads',
      secretGroup: 'Secret group',
      reason: 'Why it needs topics of other apps',
    },
    rows: ['produceTopics', 'consumeTopics'],
    // Specification §5.
    messages: { LowercaseLetters: 'Account name can only contain lowercase letters' },
    inputOf: ({ secretGroup, reason, ...body }) => ({
      params: { ...place },
      body: { ...body, ...(secretGroup ? { secretGroup } : {}), ...(reason ? { reason } : {}) },
    }),
    doneOf: ({ name }) => `${name} is being created`,
    hrefOf: ({ name }) => paths.account({ ...place, account: name }),
    hints: [{ kind: 'account', ...place }],
  });

function NewAccount({ place, reason, topic }: { place: EventsPlace; reason: string | undefined; topic: string }) {
  const form = useNewAccountForm(place, topic);
  const offered = useOfferedTopics(place);
  // Every field has a default, which the form library's type does not express.
  const values = useWatch({ control: form.control }) as Values;
  const listed = [...(values.produceTopics ?? []), ...(values.consumeTopics ?? [])];
  const isAsking = listed.some(({ applicationCode }) => applicationCode !== undefined && applicationCode !== place.app);
  return (
    <NewForm
      noun="account"
      form={form}
      disabledReason={reason}
      cancelHref={paths.events(place, 'accounts')}
      aside={<WillBeMade place={place} values={values} />}
    >
      <NameField form={form} name="name" of="account" place={place} hint="Lowercase letters only. Cannot be changed later." />
      <TextField form={form} name="description" labelNote="optional" placeholder="Which program uses it" />
      <TopicListField form={form} name="produceTopics" operation="WRITE" place={place} offered={offered} />
      <TopicListField form={form} name="consumeTopics" operation="READ" place={place} offered={offered} />
      {isAsking && <TextField form={form} name="reason" hint="The teams that own the topics read it." />}
      <PasswordField form={form} name="secretGroup" group={accountGroupName(place.app, values.name === '' ? 'account' : values.name)} />
    </NewForm>
  );
}

function WillBeMade({ place, values }: { place: EventsPlace; values: Values }) {
  const name = values.name === '' ? '…' : values.name;
  const { produceTopics = [], consumeTopics = [], secretGroup } = values;
  const rules = produceTopics.length + consumeTopics.length + (consumeTopics.length > 0 ? 1 : 0);
  const items: MadeItem[] = [
    {
      key: 'user',
      label: 'User',
      value: physicalName(place.app, name),
      highlight: values.name,
      icon: <UserRound aria-hidden="true" />,
      note: 'SCRAM-SHA-512, a password of 256 random bits',
    },
    {
      key: 'rules',
      label: 'Access rules',
      value: rules === 0 ? 'None: it may do nothing yet' : `${rules}, each on one name`,
      icon: <ShieldCheck aria-hidden="true" />,
      note:
        consumeTopics.length > 0
          ? `Reader groups begin with ${physicalName(place.app, name)}.`
          : 'Nothing with a wildcard, none on the cluster itself.',
    },
    ...(secretGroup === undefined
      ? []
      : [
          {
            key: 'group',
            label: 'Secret group',
            value: secretGroup,
            icon: <KeyRound aria-hidden="true" />,
            note: accountSecretKeys.slice(0, 4).join(', '),
          },
        ]),
  ];
  return <CreationPanel items={items} />;
}
