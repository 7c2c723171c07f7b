/** Access to the new topic: a new account, an existing account, or none yet. */
import { accountGroupName, accountList } from '@slipway/contract/streaming/account.ts';
import { Segmented } from '@slipway/ui/form/Segmented.tsx';
import { useRef } from 'react';
import { useQuery } from '#kit/api/query.ts';
import { CheckboxesField, ComboboxField } from '#kit/form/ChoiceFields.tsx';
import { PasswordField } from '#features/streaming/accounts/password/PasswordField.tsx';
import { NameField } from '#features/streaming/parts/NameField.tsx';
import type { EventsPlace } from '#features/streaming/use-place.ts';
import { newAccount, useStreamValues, type StreamForm, type StreamValues } from './use-stream-form.ts';

type Way = 'new' | 'old' | 'none';
const wayOf = ({ account }: StreamValues): Way => {
  if (!account) return 'none';
  return account.isNew === false ? 'old' : 'new';
};
const operations = [
  { value: 'WRITE', label: 'Write messages' },
  { value: 'READ', label: 'Read messages' },
];

export function AccountPart({ form, place }: { form: StreamForm; place: EventsPlace }) {
  const values = useStreamValues(form);
  const typed = useRef(newAccount(''));
  const way = wayOf(values);
  const choose = (next: Way): void => {
    const { account, topic } = values;
    if (account && way === 'new') typed.current = account;
    const name = typed.current.name === '' ? topic.name : typed.current.name;
    const accounts = { new: { ...typed.current, name }, old: { ...newAccount(''), isNew: false }, none: undefined };
    form.setValue('account', accounts[next]);
  };
  return (
    <section className="stack stack-12" aria-labelledby="stream-account">
      <div className="row row-wrap">
        <h2 id="stream-account">Account</h2>
        <span className="push">
          <Segmented
            label="Account"
            options={[
              { value: 'new', label: 'New account' },
              { value: 'old', label: 'Use existing' },
              { value: 'none', label: 'None' },
            ]}
            value={way}
            onChange={choose}
          />
        </span>
      </div>
      {way === 'new' && <NameField form={form} name="account.name" of="account" place={place} />}
      {way === 'old' && <AccountChoice form={form} place={place} />}
      {way === 'none' && <p className="quiet dense">No program can use the topic before an account may. You can make one later.</p>}
      {way !== 'none' && <CheckboxesField form={form} name="account.operations" options={operations} />}
      {way === 'new' && (
        <PasswordField form={form} name="account.secretGroup" group={accountGroupName(place.app, values.account?.name || 'account')} />
      )}
    </section>
  );
}

const offered = 100;
function AccountChoice({ form, place }: { form: StreamForm; place: EventsPlace }) {
  const { data } = useQuery(accountList, { params: { ...place }, query: { size: offered } });
  return (
    <ComboboxField
      form={form}
      name="account.name"
      options={(data?.content ?? [])
        .filter(({ state }) => state === 'ACTIVE')
        .map(({ name, user }) => ({ value: name, label: name, note: user }))}
      isLoading={!data}
      searchLabel="Search accounts"
      emptyText="No account fits."
      placeholder="Choose an account"
      hint="It keeps its password and its other topics."
    />
  );
}
