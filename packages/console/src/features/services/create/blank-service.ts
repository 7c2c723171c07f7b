/** The form of a blank service: its fields, and the request built from them. */
import { Environment, ServiceName } from '@slipway/contract/kernel/fields.ts';
import { serviceNameRule } from '@slipway/contract/quickstart.ts';
import { ServiceCreate } from '@slipway/contract/service/service-operations.ts';
import { newServiceSpec } from '@slipway/contract/service/service-spec.ts';
import * as z from 'zod/mini';

/** Has the shape of the request, so that the server's errors match their fields. */
export interface BlankValues {
  environment: Environment;
  name: string;
  githubRepositoryName: string;
  spec: {
    /** Path below the app's registry project. Empty means the service's own name. */
    containerImageName: string;
    exposedPort: number | null;
    resources: { cpuMillicores: number | null; memoryMegabytes: number | null };
    template: { healthCheck: { http: { path: string } } };
  };
}

/** Returns the repository path. Accepts a full reference and drops its tag or digest. */
export const imageBelow = (prefix: string, text: string): string =>
  (text.trim().startsWith(prefix) ? text.trim().slice(prefix.length) : text.trim()).replace(/@.*$|:[^/]*$/, '');

export const blankDefaults = (app: string, environment: Environment): BlankValues => {
  const { exposedPort, resources, template } = newServiceSpec('');
  return {
    environment,
    name: `${app}-`,
    githubRepositoryName: '',
    spec: { containerImageName: '', exposedPort, resources, template: { healthCheck: { http: { path: template.healthCheck.http.path } } } },
  };
};

const Asked = z.object({
  environment: Environment,
  name: z.string(),
  githubRepositoryName: z.string(),
  spec: z.object({
    containerImageName: z.string(),
    exposedPort: z.nullable(z.number()),
    resources: z.object({ cpuMillicores: z.nullable(z.number()), memoryMegabytes: z.nullable(z.number()) }),
    template: z.object({ healthCheck: z.object({ http: z.object({ path: z.string() }) }) }),
  }),
});

/** Maps an empty field to NaN, so that validation reports it together with all other errors. */
const given = (value: number | null): number => value ?? Number.NaN;

/** Builds the request. `prefix` is `{host}/{app}/`. Health checks use the container's port. */
const meant = (prefix: string, { name, githubRepositoryName, spec: asked }: BlankValues): z.input<typeof ServiceCreate> => {
  const image = imageBelow(prefix, asked.containerImageName) || name.trim();
  const spec = newServiceSpec(`${prefix}${image}`);
  const port = given(asked.exposedPort);
  const checked = asked.exposedPort ?? spec.template.healthCheck.http.port;
  const { healthCheck } = spec.template;
  return {
    name,
    githubRepositoryName: githubRepositoryName.trim() || null,
    spec: {
      ...spec,
      exposedPort: port,
      resources: {
        cpuMillicores: given(asked.resources.cpuMillicores),
        memoryMegabytes: given(asked.resources.memoryMegabytes),
      },
      template: {
        ...spec.template,
        healthCheck: {
          ...healthCheck,
          http: { port: checked, path: asked.template.healthCheck.http.path.trim() },
          tcp: { port: checked },
        },
      },
    },
  };
};

export type MeantService = z.output<typeof ServiceCreate> & { environment: Environment };

export const blankSchema = (app: string, prefix: string): z.ZodMiniType<MeantService, BlankValues> =>
  z.pipe(
    Asked,
    z.pipe(
      z.transform((values: BlankValues) => ({ ...meant(prefix, values), environment: values.environment })),
      z.extend(ServiceCreate, {
        environment: Environment,
        name: ServiceName.check(
          z.refine((name) => serviceNameRule(app, name) === true, { error: 'ServiceNameMustStartWithApplicationName' }),
        ),
      }),
    ),
  );
