/** A worker as a program, so that it can be killed: carries out rotations, slowly. Arguments: database address, keys directory, ms. */
import { setTimeout as delay } from 'node:timers/promises';
import { FileKeys } from '#adapters/keys-file/file-keys.ts';
import { openDatabase } from '#db/database.ts';
import type { WrappedKey } from '#ports/keys.ts';
import { keyRotator } from '#modules/keys/key-rotator.ts';

const [connectionString = '', directory = '', slowMs = '0'] = process.argv.slice(2);

class SlowKeys extends FileKeys {
  override async wrap(key: Uint8Array, purpose: string): Promise<WrappedKey> {
    await delay(Number(slowMs));
    return super.wrap(key, purpose);
  }
}

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const { db, pool } = openDatabase({ connectionString });
const rotator = keyRotator({ db, keys: new SlowKeys(directory), log: silent }, pool);
rotator.start();
