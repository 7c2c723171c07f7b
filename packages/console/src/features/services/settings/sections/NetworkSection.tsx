/** Network: port, external access and sign-in, URL and limits. */
import { planTextOf } from '@slipway/contract/pipeline/plan.ts';
import { basicAuthGroupOf } from '@slipway/contract/service/service-access.ts';
import { Copy } from '@slipway/ui/text/Copy.tsx';
import { Field } from '@slipway/ui/form/Field.tsx';
import { FormRow } from '@slipway/ui/form/FormGroup.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { NumberField } from '@slipway/ui/form/NumberField.tsx';
import { Switch } from '@slipway/ui/form/Switch.tsx';
import { runtimeConfig } from '#kit/api/runtime-config.ts';
import { messageFor } from '#kit/error/messages.ts';
import { paths } from '#entities/paths.ts';
import css from './NetworkSection.module.css';
import { CardsSetting, fieldProps, NumberSetting, TextSetting } from './fields.tsx';
import { Section } from './Section.tsx';
import { serviceAddress } from './section-facts.ts';
import { TextList } from './TextList.tsx';
import { useSettingField, useSettings, useSettingsState, useSettingValue } from '#features/services/settings/settings-context.ts';

const traffic = 'spec.externalTraffic';
const defaultPort = 8080;
const types = [
  { value: 'NONE', label: 'None', note: 'It has no address at the edge.' },
  { value: 'DIRECT', label: 'Direct', note: 'The address leads straight to the service.' },
  { value: 'API_PROXY', label: 'API proxy', note: 'The same, for APIs: JWT alone, and a base path that stays.' },
];
const signIns = [
  { value: 'AZURE_AUTH', label: 'JWT', note: 'A token of the company’s sign-in for every request. The service reads the claims.' },
  { value: 'BASIC_AUTH', label: 'Basic', note: 'User name and password, made by the platform.' },
  { value: 'NO_AUTH', label: 'None', note: 'Every request goes through.' },
];
/** On platforms where instances can bypass the edge, sign-in is disabled. A service that already uses sign-in can still switch it off. */
const openAlone = signIns.map((choice) =>
  choice.value === 'NO_AUTH' ? choice : { ...choice, disabledReason: messageFor('SignInNeedsNetworks') },
);
const outgoing = 'spec.outgoingTraffic';
const ways = [
  { value: 'NONE', label: 'None', note: 'Other services at the edge, and nothing else.' },
  { value: 'LISTED', label: 'Listed hosts', note: 'The hosts that you name, and no other.' },
  { value: 'ANY', label: 'Any public address', note: 'Everything but private networks.' },
];

export function NetworkSection() {
  const type = useSettingValue<string>(`${traffic}.type`);
  return (
    <Section name="network">
      <FormRow help="The port that the service listens on. It reads it from PORT. Without one nothing reaches it, neither from inside nor outside.">
        <PortSetting />
      </FormRow>
      <FormRow help={type === 'NONE' ? undefined : <Address />}>
        <CardsSetting path={`${traffic}.type`} options={types} />
      </FormRow>
      {type !== 'NONE' && <External type={type} />}
      <Outgoing />
    </Section>
  );
}

function PortSetting() {
  const { store } = useSettings();
  const saved = useSettingsState(({ base }) => base.spec.exposedPort);
  const field = useSettingField<number | null>('spec.exposedPort', (before) => (before === null ? 'no internal traffic' : String(before)));
  const type = useSettingValue<string>(`${traffic}.type`);
  const isOn = field.value !== null || field.error !== undefined;
  const toggle = (next: boolean): void => store.set('spec.exposedPort', next ? (saved ?? defaultPort) : null);
  return (
    <>
      <Switch label="Internal traffic" checked={isOn} disabled={field.isLocked} onChange={({ target }) => toggle(target.checked)} />
      <Field {...fieldProps(field, { hint: isOn || type === 'NONE' ? '1 to 65535' : 'External traffic needs it' })}>
        <NumberField value={field.value} onChange={field.set} min={1} max={65_535} placeholder="None" isReadOnly={field.isLocked} />
      </Field>
    </>
  );
}

function Address() {
  const { place } = useSettings();
  const address = useSettingsState(({ draft }) => serviceAddress(draft, place, runtimeConfig().serviceUrl));
  const base = useSettingsState(({ draft }) => draft.spec.externalTraffic.basePath);
  if (!address) return null;
  return (
    <>
      It will answer at
      <span className="row">
        <code className={css.address}>{address}</code>
        <Copy text={address} what="address" />
      </span>
      {base !== '/' && (base.startsWith('/') ? `Requests reach the service without ${base}.` : '')}
    </>
  );
}

function External({ type }: { type: string }) {
  const { place, view } = useSettings();
  const isFixed = type === 'API_PROXY' && view.appliedBasePath !== null;
  return (
    <>
      <FormRow help={<SignInHelp />}>
        <CardsSetting path="spec.externalTrafficAuthentication" options={view.engine.isNetworkIsolated ? signIns : openAlone} />
        <SignInNotice />
      </FormRow>
      <FormRow help="Another host name, once it points here. Left empty, the platform’s own.">
        <TextSetting
          path={`${traffic}.domain`}
          isMono
          isNullable
          placeholder={`${place.service}.example.com`}
          normalise={(text) => text.toLowerCase()}
        />
        <TextSetting
          path={`${traffic}.basePath`}
          isMono
          placeholder="/"
          hint={isFixed ? `Stays ${view.appliedBasePath}, since it is applied` : undefined}
        />
      </FormRow>
      <FormRow help="Measured at the edge. A request that takes longer is answered with 504, one that is larger with 413, one too many with 429. Spike arrest 0: no limit.">
        <div className="pair">
          <NumberSetting path={`${traffic}.config.connectionTimeoutMs`} min={100} max={60_000} step={100} placeholder="3000" />
          <NumberSetting path={`${traffic}.config.readTimeoutMs`} min={100} max={600_000} step={100} placeholder="58000" />
          <NumberSetting path={`${traffic}.config.writeTimeoutMs`} min={100} max={600_000} step={100} placeholder="58000" />
          <NumberSetting path={`${traffic}.config.requestSizeLimitMb`} min={1} max={1024} placeholder="15" />
          <NumberSetting path={`${traffic}.config.spikeArrestPerMinute`} min={0} max={1_000_000} placeholder="1000" unit="a minute" />
        </div>
      </FormRow>
      <FormRow help="Requests to paths that start with one of these return 404.">
        <TextList path={`${traffic}.config.excludePathPrefixes`} word="prefix" placeholder="/internal" />
      </FormRow>
    </>
  );
}

function Outgoing() {
  const type = useSettingValue<string>(`${outgoing}.type`);
  return (
    <FormRow help="Where the program may connect to, over the proxy that its environment names. Other services are always in reach.">
      <CardsSetting path={`${outgoing}.type`} options={ways} />
      {type === 'LISTED' && <TextList path={`${outgoing}.hosts`} word="host" placeholder="api.example.com" isLowerCase />}
    </FormRow>
  );
}

function SignInHelp() {
  const auth = useSettingValue<string>('spec.externalTrafficAuthentication');
  if (auth === 'AZURE_AUTH') return 'Who calls is checked at the edge; the service gets the claims in signed headers, and never the token.';
  return auth === 'BASIC_AUTH' ? 'The edge asks for user name and password; the service gets no Authorization header.' : '';
}

function SignInNotice() {
  const { place } = useSettings();
  const auth = useSettingValue<string>('spec.externalTrafficAuthentication');
  if (auth === 'NO_AUTH') return <Notice tone="idle">{planTextOf({ code: 'NoAuthOpen', context: {} })}</Notice>;
  if (auth !== 'BASIC_AUTH') return null;
  const group = basicAuthGroupOf(place.service);
  return (
    <Notice tone="warn">
      {planTextOf({ code: 'BasicAuthWeak', context: {} })} User name and password are in the secret group{' '}
      <Link className="in" href={paths.secretGroup({ app: place.app, env: place.env, group })}>
        {group}
      </Link>{' '}
      once the change is applied.
    </Notice>
  );
}
