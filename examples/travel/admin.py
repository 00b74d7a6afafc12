"""The travel desk's own pages."""

from django.contrib import admin

from examples.travel.models import Flight, Policy


@admin.register(Flight)
class FlightAdmin(admin.ModelAdmin):
    list_display = ["flight_no", "airline", "origin", "destination", "departs_at", "price", "currency", "seats"]
    list_filter = ["airline", "origin", "destination"]
    search_fields = ["flight_no"]
    date_hierarchy = "departs_at"


@admin.register(Policy)
class PolicyAdmin(admin.ModelAdmin):
    list_display = ["title", "max_price", "currency", "enabled"]
