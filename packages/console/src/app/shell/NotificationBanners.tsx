/** Platform messages to all users. A closed message stays closed in this browser. */
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { StatusIcon } from '@slipway/ui/feedback/StatusIcon.tsx';
import type { Tone } from '@slipway/ui/tone.ts';
import type { Banner } from '@slipway/contract/platform.ts';
import { Megaphone, Wrench, X } from 'lucide-react';
import { useState } from 'react';
import { runtimeConfig } from '#kit/api/runtime-config.ts';
import { storedValue } from '#kit/state/stored.ts';
import { useStore } from '#kit/state/store.ts';
import css from './NotificationBanners.module.css';

const tones: Readonly<Record<Banner['type'], Tone>> = { info: 'run', warning: 'warn', error: 'bad' };
const icons: Readonly<Record<string, typeof Megaphone>> = { megaphone: Megaphone, survey: Megaphone, wrench: Wrench, maintenance: Wrench };

export function NotificationBanners() {
  return runtimeConfig()
    .banners.filter(({ enabled }) => enabled)
    .map((banner) => <NotificationBanner key={banner.id} banner={banner} />);
}

function NotificationBanner({ banner }: { banner: Banner }) {
  const [dismissed] = useState(() => storedValue(`banner-${banner.id}`, (raw) => (raw === true ? true : undefined)));
  if (useStore(dismissed)) return null;
  const Icon = icons[banner.icon ?? ''];
  return (
    <aside className={css.banner} data-tone={tones[banner.type]} aria-label={banner.header}>
      <div className={`wrap ${css.inner}`}>
        {Icon ? <Icon aria-hidden="true" /> : <StatusIcon tone={tones[banner.type]} />}
        <p className={css.text}>
          <strong>{banner.header}</strong> {banner.message}
        </p>
        {banner.ctas.map(({ label, url }) => (
          <LinkButton key={url} size="sm" href={url} target="_blank" rel="noreferrer">
            {label}
          </LinkButton>
        ))}
        <IconButton
          label={`Close: ${banner.header}`}
          variant="quiet"
          size="sm"
          icon={<X aria-hidden="true" />}
          onClick={() => dismissed.set(true)}
        />
      </div>
    </aside>
  );
}
