import { createMemoryDrains } from '../../../providers/memory/drains.ts';
import { drainStoreContract } from '../drain-store.contract.ts';

drainStoreContract(createMemoryDrains);
