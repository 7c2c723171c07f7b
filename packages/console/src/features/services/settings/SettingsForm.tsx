/** The form of a service's settings: section list, nine sections, and a save bar that appears with the first change. */
import { settingsSectionIds, settingsSections } from '@slipway/contract/pipeline/service-change.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Savebar } from '@slipway/ui/form/Savebar.tsx';
import { SectionNav } from '@slipway/ui/layout/SectionNav.tsx';
import { lazy, Suspense, useEffect, useEffectEvent, useRef, type FormEvent, type KeyboardEvent, type ReactNode } from 'react';
import { UnsavedGuard } from '#kit/page/UnsavedGuard.tsx';
import { AdvancedSection } from './sections/AdvancedSection.tsx';
import type { SettingsError } from './check.ts';
import { EnvironmentSection } from './environment/EnvironmentSection.tsx';
import { GeneralSection } from './sections/GeneralSection.tsx';
import { HealthSection } from './sections/HealthSection.tsx';
import { NetworkSection } from './sections/NetworkSection.tsx';
import { ObservabilitySection } from './sections/ObservabilitySection.tsx';
import { ResourcesSection } from './sections/ResourcesSection.tsx';
import { RolloutSection } from './sections/RolloutSection.tsx';
import { sectionId } from './sections/Section.tsx';
import { useSettings, useSettingsState } from './settings-context.ts';
import css from './SettingsForm.module.css';
import { useCurrentSection } from './use-current-section.ts';
import { useReview, type Review } from './use-review.ts';
import { VolumesSection } from './sections/VolumesSection.tsx';

const ConfirmChanges = lazy(async () => ({ default: (await import('#entities/plan/ConfirmChanges.tsx')).ConfirmChanges }));

export interface SettingsFormProps {
  /** Notices above the sections. */
  children: ReactNode;
  onDiscard: () => void;
  onConflict: () => void;
  /** True to open the review at once, for a change that the URL proposes. */
  isReviewed?: boolean;
}

/** Scrolls to the section in the URL, because the page was not rendered when the browser looked for the anchor. */
const useAnchor = (): void => {
  useEffect(() => {
    if (location.hash !== '') document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }, []);
};

export function SettingsForm({ children, onDiscard, onConflict, isReviewed = false }: SettingsFormProps) {
  const { place, store, isLocked } = useSettings();
  const review = useReview(place, store, onConflict);
  const form = useRef<HTMLFormElement>(null);
  const isDirty = useSettingsState(({ changes }) => changes.length > 0);
  useAnchor();
  const reviewNow = useEffectEvent(() => {
    if (isReviewed && isDirty && !isLocked) void review.ask();
  });
  useEffect(() => reviewNow(), []);
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    // A dialog's form is nested in this form in React, but not in the DOM, so its events bubble here.
    if (event.target === event.currentTarget && isDirty && !isLocked) void review.ask();
  };
  const submitByKey = (event: KeyboardEvent): void => {
    const isHere = form.current?.contains(event.target as Node);
    if (isHere && event.key === 'Enter' && (event.metaKey || event.ctrlKey)) form.current?.requestSubmit();
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- one more way to press the form's own button
    <form ref={form} className="split split-settings" aria-label="Service settings" noValidate onSubmit={submit} onKeyDown={submitByKey}>
      <Sections />
      <div className={css.sections}>
        {children}
        <GeneralSection />
        <ResourcesSection />
        <VolumesSection />
        <EnvironmentSection />
        <RolloutSection />
        <NetworkSection />
        <HealthSection />
        <ObservabilitySection />
        <AdvancedSection />
      </div>
      <Bar review={review} onDiscard={onDiscard} />
      <UnsavedGuard
        isDirty={isDirty}
        isReleased={review.isReleased}
        description="What you changed is kept in this tab of the browser, and offered when you come back."
        confirmLabel="Leave this page"
      />
      <ReviewDialog review={review} />
    </form>
  );
}

function Sections() {
  const current = useCurrentSection();
  const changes = useSettingsState((state) => state.changes);
  const errors = useSettingsState((state) => state.errors);
  return (
    <SectionNav
      label="Settings sections"
      items={settingsSectionIds.map((section) => {
        const count = changes.filter((change) => change.section === section).length;
        const errorCount = errors.filter((error) => error.section === section).length;
        return {
          label: settingsSections[section],
          href: `#${sectionId(section)}`,
          isCurrent: section === current,
          ...(count > 0 ? { count, countKind: 'change' as const } : {}),
          ...(errorCount > 0 ? { errorCount } : {}),
        };
      })}
    />
  );
}

const errorLabel = (errors: readonly SettingsError[]): string => {
  const places = [...new Set(errors.map(({ section }) => settingsSections[section]))];
  return `${errors.length === 1 ? '1 error' : `${errors.length} errors`}${places.length === 1 ? '' : ', the first'} in ${places[0]}`;
};

const namesShown = 3;
function Bar({ review, onDiscard }: { review: Review; onDiscard: () => void }) {
  const { isLocked } = useSettings();
  const changes = useSettingsState((state) => state.changes);
  const errors = useSettingsState((state) => state.errors);
  const [first] = errors;
  const more = changes.length - namesShown;
  const names = changes.slice(0, namesShown).map(({ label }) => label || 'a new row');
  return (
    <Savebar
      count={changes.length}
      summary={`${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`}
      {...(first
        ? {
            error: {
              label: errorLabel(errors),
              href: `#${sectionId(first.section)}`,
              onSelect: review.focusFirstError,
            },
          }
        : {})}
      actions={
        <>
          <Button variant="quiet" onClick={onDiscard}>
            Discard
          </Button>
          <Button
            type="submit"
            variant="primary"
            isBusy={review.isBusy}
            busyLabel="Reviewing"
            disabledReason={isLocked ? 'The settings cannot be edited now' : undefined}
          >
            Review
          </Button>
        </>
      }
    />
  );
}

function ReviewDialog({ review }: { review: Review }) {
  const { place } = useSettings();
  const { plan } = review;
  if (!plan) return null;
  const count = plan.changes.length;
  return (
    <Suspense fallback={null}>
      <ConfirmChanges
        plan={plan}
        title={`Review ${count === 1 ? '1 change' : `${count} changes`}`}
        subject={place.service}
        environment={place.env}
        confirmLabel={`Apply to ${place.env}`}
        onConfirm={review.apply}
        onRequested={review.requested}
        onClose={review.close}
      />
    </Suspense>
  );
}
