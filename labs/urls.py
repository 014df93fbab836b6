app_name = "labs"
urlpatterns: list = []
