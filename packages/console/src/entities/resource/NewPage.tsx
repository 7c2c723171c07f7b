/** The page that creates an entity in an app's environment: header, environment bar, notices, and the form. */
import type { Environment } from '@slipway/contract/kernel/fields.ts';
import { Fragment, type ReactNode } from 'react';
import type { FieldValues } from 'react-hook-form';
import { AppDetails } from '#entities/application/index.ts';
import { NotFound } from '#entities/NotFound.tsx';
import { PageError } from '#entities/PageError.tsx';
import { useAppPlace, type AppPlace } from '#entities/team/index.ts';
import { FieldsFor } from '#kit/form/FieldsFor.tsx';
import { PageForm, type PageFormProps } from '#kit/form/PageForm.tsx';
import { MembersOnly } from '#kit/page/MembersOnly.tsx';
import { PageBody } from '#kit/page/PageBody.tsx';
import { PageHeader } from '#kit/page/PageHeader.tsx';
import { usePageTitle } from '#kit/page/page-title.ts';
import { EntityBar } from './EntityBar.tsx';

interface Place {
  app: string;
  env: Environment;
}

export interface NewPageProps {
  /** "New topic" */
  title: string;
  lede?: string;
  status?: ReactNode;
  hrefOf: (place: Place) => string;
  /** For an entity that only members may see: its plural, "Accounts". */
  membersOnly?: string;
  /** Notices above the form. */
  Notices?: (props: { place: Place }) => ReactNode;
  /** Renders the form once the app is loaded. `reason` says why the user cannot send it. */
  children: (place: Place, reason: string | undefined, at: AppPlace) => ReactNode;
}

export function NewPage({ title, lede, status, hrefOf, membersOnly, Notices, children }: NewPageProps) {
  const at = useAppPlace();
  const { app, env, query, application } = at;
  usePageTitle([title, app, env]);
  if (env === undefined) return <NotFound />;
  if (query.error && !application) return <PageError what={`app ${app}`} query={query} />;
  const isHidden = membersOnly !== undefined && at.isMember !== true;
  return (
    <>
      <PageHeader hasSkip={false} name={title} lede={lede} status={status}>
        <AppDetails id={app} env={env} app={application} />
      </PageHeader>
      <EntityBar env={env} hrefOf={(environment) => hrefOf({ app, env: environment })} />
      <PageBody className="stack stack-24">
        {Notices && <Notices place={{ app, env }} />}
        {membersOnly !== undefined && at.isMember === false && <MembersOnly label={membersOnly}>{at.noRight}</MembersOnly>}
        {application && !isHidden && <Fragment key={`${app}/${env}`}>{children({ app, env }, at.createReason, at)}</Fragment>}
      </PageBody>
    </>
  );
}

export interface NewFormProps<Values extends FieldValues> extends Omit<PageFormProps<Values>, 'label' | 'submitLabel' | 'busyLabel'> {
  /** "topic" */
  noun: string;
  /** Choices between forms, above the fields. */
  ways?: ReactNode;
}

/** The form of a new entity. A user who may not create the entity sees read-only fields and the reason. */
export function NewForm<Values extends FieldValues>({ noun, ways, children, ...props }: NewFormProps<Values>) {
  return (
    <PageForm startsFocused {...props} label={`New ${noun}`} submitLabel={`Create ${noun}`} busyLabel="Creating">
      {ways}
      <FieldsFor legend={`New ${noun}`} reason={props.disabledReason}>
        {children}
      </FieldsFor>
    </PageForm>
  );
}
