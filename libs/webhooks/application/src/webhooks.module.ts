import { type DynamicModule, Module } from '@nestjs/common';
import { EndpointDisabler } from './endpoint-disabler';
import { EndpointController } from './endpoint.controller';
import { RecoveryTask } from './recovery.task';
import { RetentionTask } from './retention.task';
import { WebhookDispatcher } from './webhook.dispatcher';
import { WEBHOOKS_OPTIONS, type WebhooksOptions } from './webhooks-options';

/**
 * The composition provides EVENT_STORE, SNAPSHOT_STORE, COMMAND_BUS, CLOCK, SECRET_VAULT, DELIVERY_QUEUE, RECOVERY_QUEUE,
 * WEBHOOK_RETENTION and WEBHOOK_SENDER globally, and runs the projection `webhooks`, which fills the queues. The dispatcher
 * and the other tasks start and stop with the application.
 */
@Module({})
export class WebhooksModule {
  static forRoot(options: WebhooksOptions): DynamicModule {
    return {
      module: WebhooksModule,
      controllers: [EndpointController],
      providers: [
        { provide: WEBHOOKS_OPTIONS, useValue: options },
        EndpointDisabler,
        WebhookDispatcher,
        RecoveryTask,
        RetentionTask,
      ],
      exports: [WebhookDispatcher],
    };
  }
}
