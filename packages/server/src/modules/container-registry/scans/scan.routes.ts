/** Answers the routes of scans: their state, what they found, the bill of materials, and a scan that somebody asks for. */
import {
  imagePackageList,
  imageSbomDownload,
  imageScanCreate,
  imageScanView,
  imageVulnerabilityList,
  scanOverviewView,
  type ImageScan,
} from '@slipway/contract/registry/scan.ts';
import { memberRule } from '@slipway/contract/kernel/rights.ts';
import { imageScanKind } from '@slipway/contract/kinds/scan.kind.ts';
import { transaction, type Db } from '#db/database.ts';
import { handle, type Caller, type Handler, type Owner } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { recordWrite } from '#modules/activity/index.ts';
import { subjectIn } from '#modules/resources/index.ts';
import type { Registry } from '#ports/registry.ts';
import { policyOfApp } from '../project/registry.sql.ts';
import { sbomOf } from './sbom.ts';
import { queueScan, turns } from './scan-queue.sql.ts';
import { scanOf } from './scan-rows.ts';
import { inForce, packagePage, scanOverview, vulnerabilityPage } from './scan-views.ts';

export interface ScanRouteDeps {
  readonly db: Db;
  readonly registry: Registry;
  /** Somebody waits. */
  readonly onAsked: () => void;
}
interface Asked {
  readonly params: { readonly app: string; readonly repository: string; readonly tag: string };
}
interface Image {
  readonly repository: string;
  readonly digest: string;
}

/** Throws RepositoryDoesNotExist or TagDoesNotExist. */
const imageOf = async (registry: Registry, { params: { app, repository: name, tag } }: Asked): Promise<Image> => {
  const repository = `${app}/${name}`;
  const image = await registry.image(repository, tag);
  if (image) return { repository, digest: image.digest };
  throw new Problem((await registry.repositoryExists(repository)) ? 'TagDoesNotExist' : 'RepositoryDoesNotExist');
};

const shown = async (db: Db, image: Image, { caller, owner }: { caller: Caller; owner: Owner }): Promise<ImageScan> => ({
  ...(await scanOf(db, image.digest)),
  ...image,
  can: { scan: memberRule(caller, owner.teamId) },
});

export const scanRoutes = ({ db, registry, onAsked }: ScanRouteDeps): Handler[] => {
  const allowedIn = async (app: string) => inForce((await policyOfApp(db, app)).allowedCves, new Date());
  return [
    handle(scanOverviewView, async ({ params }) => scanOverview(db, params.app, await allowedIn(params.app))),
    handle(imageScanView, async (c) => shown(db, await imageOf(registry, c), c)),
    handle(
      imageScanCreate,
      async (c) => {
        const image = await imageOf(registry, c);
        await transaction(db, async (trx) => {
          await queueScan(trx, image, { turn: turns.asked, isAgain: true });
          await recordWrite(trx, c.caller, {
            type: imageScanCreate.id,
            reason: 'ScanAsked',
            message: `${c.caller.displayName} asked for a scan of ${image.repository}:${c.params.tag}`,
            subject: subjectIn(imageScanKind, { app: c.params.app, env: c.environment }, c.owner.teamId),
            after: { ...image },
          });
        });
        onAsked();
        return shown(db, image, c);
      },
      async (c) => shown(db, await imageOf(registry, c), c),
    ),
    handle(imageVulnerabilityList, async (c) => {
      const { digest } = await imageOf(registry, c);
      return vulnerabilityPage(db, digest, c.query, await allowedIn(c.params.app));
    }),
    handle(imagePackageList, async (c) => packagePage(db, (await imageOf(registry, c)).digest, c.query)),
    handle(imageSbomDownload, async (c) => {
      const image = await imageOf(registry, c);
      const scan = await db.selectFrom('image_scan').selectAll().where('digest', '=', image.digest).executeTakeFirst();
      if (!scan || scan.scanned_at === null || scan.package_count === null) throw new Problem('ScanMissing');
      const name = `${image.repository.replaceAll('/', '-')}-${image.digest.slice('sha256:'.length, 19)}.cdx.json`;
      return c.reply
        .type('application/vnd.cyclonedx+json')
        .header('content-disposition', `attachment; filename="${name}"`)
        .send(await sbomOf(db, scan, { ...image, address: `${registry.host}/${image.repository}` }));
    }),
  ];
};
