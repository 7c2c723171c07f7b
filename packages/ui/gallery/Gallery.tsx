// The frame of the gallery, with the shell around it as in the console.
import { Menu as MenuIcon, Search } from 'lucide-react';
import { Avatar } from '../src/text/Avatar.tsx';
import { Footer } from '../src/layout/Footer.tsx';
import { IconButton } from '../src/form/IconButton.tsx';
import { Logo } from '../src/layout/Logo.tsx';
import { Menu } from '../src/overlay/Menu.tsx';
import { PipelineStrip } from '../src/layout/PipelineStrip.tsx';
import { PipeRow } from '../src/figures/PipeRow.tsx';
import { SkipLink } from '../src/layout/SkipLink.tsx';
import { PageStrip } from '../src/layout/PageStrip.tsx';
import { ThemeToggle } from '../src/layout/ThemeToggle.tsx';
import { Jump, Pipes, Topbar, TopbarNav } from '../src/layout/Topbar.tsx';
import { EnvironmentBar } from '../src/layout/EnvironmentBar.tsx';
import { Feedback } from './Feedback.tsx';
import { Foundations } from './Foundations.tsx';
import { Forms } from './Forms.tsx';
import css from './Gallery.module.css';
import { Lists } from './Lists.tsx';
import { Pipelines } from './Pipelines.tsx';
import { Readings } from './Readings.tsx';

const PLACES = [
  { label: 'Apps', href: '/apps', isCurrent: true },
  { label: 'Teams', href: '/teams' },
  { label: 'Catalogue', href: '/catalogue' },
  { label: 'Docs', href: 'https://example.com/docs' },
];
const ENVIRONMENTS = [
  { environment: 'production' as const, href: '/production' },
  { environment: 'development' as const, href: '/development' },
];
const PIPELINES = [
  {
    label: 'berth-planner-api',
    href: '/p/1',
    content: <PipeRow tone="run" name="berth-planner-api" note="Production · Start instances, 6 of 8" time="48 s" progress={0.46} />,
  },
  {
    label: 'vessel-eta-model',
    href: '/p/2',
    content: <PipeRow tone="run" name="vessel-eta-model" note="Production · Validate settings, 2 of 8" time="9 s" progress={0.11} />,
  },
  'line' as const,
  {
    label: 'reefer-alerts-notifier',
    href: '/p/3',
    content: <PipeRow tone="bad" name="reefer-alerts-notifier" note="Production · Start instances failed" time="12 min ago" />,
  },
];

function Shell() {
  return (
    <Topbar logo={<Logo href="/" />} nav={<TopbarNav items={PLACES} />}>
      <Jump />
      <Menu trigger={<Pipes running={2} />} items={PIPELINES} />
      <IconButton className="only-phone" variant="quiet" label="Search" icon={<Search aria-hidden="true" />} />
      <ThemeToggle className="only-wide" />
      <IconButton className="only-wide" variant="quiet" label="Account: Ingrid Solheim" icon={<Avatar name="Ingrid Solheim" />} />
      <IconButton className="only-phone" variant="quiet" label="Menu" icon={<MenuIcon aria-hidden="true" />} />
    </Topbar>
  );
}

export function Gallery() {
  return (
    <>
      <SkipLink />
      <Shell />
      <main id="main" tabIndex={-1}>
        <PageStrip isList name="Components" lede="Every part of the screens, with its states." />
        <div className={css.gap} />
        <EnvironmentBar
          environment="production"
          links={ENVIRONMENTS}
          passing={
            <PipelineStrip
              title="Revision 35"
              note="taking over, 2 of 3 ready"
              meta="Ingrid Solheim, 48 s ago"
              href="/pipeline"
              progress={0.46}
            />
          }
        />
        <div className={css.gap} />
        <EnvironmentBar environment="development" links={ENVIRONMENTS} label="Environment, second sample" />
        <div className={`wrap page ${css.sheet}`}>
          <Foundations />
          <Forms />
          <Lists />
          <Feedback />
          <Pipelines />
          <Readings />
        </div>
      </main>
      <Footer
        owner="© 2026 Norrland Line"
        links={['Legal', 'Support', 'Contact', 'GitHub', 'Request a feature', 'Release notes', 'Roadmap'].map((label) => ({
          label,
          href: `/${label}`,
        }))}
      />
    </>
  );
}
